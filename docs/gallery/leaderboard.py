"""
A leaderboard, and chance
=========================

Five language models answer the same 200 multiple-choice questions, and the leaderboard sorts them
by accuracy. Which of them know anything, and which is really better than the next?
"""

# %%
# The answers are simulated, so that we know how much each model knows and can check what the
# leaderboard says. A model that does not know an answer picks one of the four letters. The last one
# knows nothing at all, and is the best of twenty prompts.
import numpy as np

import baserate as br

rng = np.random.default_rng(1)
letters = np.array(["A", "B", "C", "D"])
key = rng.choice(letters, size=200, p=[0.22, 0.24, 0.30, 0.24])
knows = {"large": 0.45, "medium": 0.2, "medium 2": 0.2, "small": 0.1}
models = {
    name: np.where(rng.random(200) < share, key, rng.choice(letters, size=200))
    for name, share in knows.items()
}
prompts = rng.choice(letters, size=(20, 200))
models["guesser"] = max(prompts, key=lambda answers: np.mean(answers == key))

# %%
# **The score to beat** is not 25%: always answering the commonest letter needs no question and has
# more. An outcome of ``clears`` says that a model beats that significantly, and ``unsure`` that the
# next 200 questions may show otherwise. P-values are adjusted for five models.
report = br.evaluate(key, models, "accuracy", adjust="holm")
print(br.baseline(key, "accuracy"))
board = report.to_frame(full=True).sort_values("score", ascending=False, ignore_index=True)
board[["model", "score", "low", "high", "p_adjusted", "outcome"]].round(3)

# %%
# **Chance over many tries.** The guesser has a small p-value too, though it knows nothing: nobody
# said that it is the best of twenty prompts. ``tries`` says so. The best of twenty guessers has
# 31% on average, and this one is not remarkable.
for tries in (1, 20):
    (verdict,) = br.evaluate(key, {"guesser": models["guesser"]}, "accuracy", tries=tries)
    chance = br.chance(4, 200, tries=tries).mean()
    print(f"best of {tries}: {verdict.score:.3f}, chance {chance:.3f}, p = {verdict.p_value:.3f}")

# %%
# **Who is better than whom?** ``compare`` swaps the answers of two models, question by question,
# and counts how often they would differ as much if they were equally good.
comparison = br.compare(key, models, "accuracy", adjust="holm")
display = comparison.plot()

# %%
# These differences are left when ten pairs are allowed for:
for difference in comparison:
    if difference.outcome in ("first", "second"):
        print(difference)

# %%
# So 200 questions tell the first model from the rest, and no more than that. The small model is
# second on the board, above two that know twice as much. With another seed it may be last but one:
# below the first place the order is mostly chance.

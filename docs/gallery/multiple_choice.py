"""
What is chance on a benchmark?
==============================

A language model answers a third of a multiple-choice benchmark right. Chance would be 25%, says the
paper. Would it?
"""

# %%
# Guessing
# --------
#
# 198 questions with four options each. One guesser expects a quarter, give or take chance:
import baserate as br

print(br.chance(4, 198))

# %%
# But who reports *one* try? With twenty models, prompts or seeds, the best is reported. Twenty
# guessers have twenty chances, and the best of them expects more:
best = br.chance(4, 198, tries=20)
print(best)
print(f"mean of the best of twenty: {best.mean():.4f}")

# %%
# So a score of 0.31 is remarkable for one try, and nothing for the best of twenty:
for tries in (1, 20):
    print(f"best of {tries}: p = {br.chance(4, 198, tries=tries).p_value(0.31):.3f}")

# %%
# Questions with different numbers of options
# -------------------------------------------
#
# The questions of BIG-bench's *logical deduction* have three, five or seven options. Until it was
# mended, its plots showed a chance level of 20%, that of five options, for each kind and for all
# (`BIG-bench #843 <https://github.com/google/BIG-bench/issues/843>`_). Let each kind have 300
# questions:
mixed = br.chance({3: 300, 5: 300, 7: 300})
print(f"chance: {mixed.mean():.4f}, not 0.2")

# %%
# An accuracy of 0.23 seems significant beside 20%, and is not beside what guessing really gives:
wrong = br.chance({5: 900})
print(f"p beside 20%: {wrong.p_value(0.23):.3f}")
print(f"p beside {mixed.mean():.1%}: {mixed.p_value(0.23):.3f}")

# %%
# Always the same answer
# ----------------------
#
# Of the questions of BoolQ, 62% have the answer “yes”. One collection of benchmarks calls 62% its
# chance level, and readers took that for a mistake, since a question has two options
# (`nanochat #349 <https://github.com/karpathy/nanochat/issues/349>`_, `dclm #117
# <https://github.com/mlfoundations/dclm/issues/117>`_). Guessing gives 50%. But a model that
# always says “yes” has read no question either, and has 62%: that is the score to beat.
guessing = br.chance([2] * 100, answers=["yes"] * 62 + ["no"] * 38)
print(guessing)
print(f"the score to beat: {guessing.baseline}")

# %%
# In a shell: ``baserate chance --options 4 --questions 198 --tries 20 --score 0.31``.

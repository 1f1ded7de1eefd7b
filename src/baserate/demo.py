"""`make demo`: the paper's experiment, printed and written as a report."""

from __future__ import annotations

from pathlib import Path

from baserate.experiment import run


def main() -> None:
    """Fit and judge the models, print the report and write it beside."""
    print(
        "Cleveland Heart Disease: five models of scikit-learn with its defaults, trained on 90%\n"
        "of 303 patients. What are their scores on the other 10% worth?\n"
    )
    report = run()
    print(report)
    html, json = Path("report.html"), Path("report.json")
    report.to_html(html)
    report.to_json(json)
    print(
        f"\nOpen {html} in a browser for every verdict with its reasons; {json} has every digit.\n"
        "With your own data: baserate.evaluate(y_true, y_pred), or `baserate evaluate` in a shell."
    )


if __name__ == "__main__":
    main()

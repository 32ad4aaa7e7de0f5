"""A table as people have it, with everything that the health report has a word for."""

import numpy as np


def messy(rows=400):
    """A table as a spreadsheet of some clinic may have it, in Windows' own encoding."""
    random = np.random.default_rng(3)
    lines = ["# Spring survey", "Patient;Town;Age;Weight;Smokes;Cough;Cough (copy);Note;Unit"]
    for k in range(rows):
        smokes, age = random.random() < 0.4, random.integers(18, 90)
        cough = int(random.random() < (0.7 if smokes else 0.2))
        cells = [
            f"P-{k:04d}",
            random.choice(["Córdoba", "cordoba", "Córdoba ", "Rosario", "ROSARIO"]),
            str(age),
            f"{random.normal(60 + 20 * (age > 54), 6):.1f}".replace(".", ","),
            "" if k % 3 == 1 else ("Yes" if k % 7 == 1 else "yes") if smokes else "no",
            "ox"[cough],
            str(cough),
            random.choice(['"late; by train"', "fine"]),
            "kg",
        ]
        lines.append(";".join(cells))
    return "\r\n".join(lines).encode("cp1252")

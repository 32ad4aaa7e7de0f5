"""What stands around the lessons; each lesson's own texts are in its module."""

ABOUT = (
    "The method in eight short lessons. Everything can be clicked, and each lesson ends in a "
    "question that you answer in the drawing."
)
SOURCE = (
    "The numbers are the engine’s, on data about coronary heart disease and on samples drawn with "
    "a seed, whichever dataset is selected."
)

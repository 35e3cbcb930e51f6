"""How far the evaluation of values goes."""

MAX_DEPTH = 40
MAX_VALUES = 24
MAX_NAME = 160

"""Every threshold of the rules, with its reason. Rows and states are counted, shares lie in 0 to 1.

`bjp_engine.columns` adds FEW_ROWS (20; in fewer rows, values differ and columns agree by chance)
and FEW_STATES (12; no more different numbers are categories), `bjp_engine.identifiers` what a long
list of names is.
"""

# --- Rows that are none ---------------------------------------------------------------------------
# Fewer lines show no pattern that one of them could break; a small table may have so many odd ones.
LEAST_LINES, SEVERAL_LINES = 5, 3
# A cell is odd if at most this share of the rows holds its value, and no more than the other share
# holds any such value: in a column of many rare values, a rare one is nothing special.
ODD, ODD_IN_ALL = 0.02, 0.05
# Rows that are odd in every column are expected this rarely if columns were independent.
STRAY = 1e-3
# The chance that counts for a cell that repeats its column's name, is a text among numbers, or
# names a sum.
NAMED = 1e-3
# The chance that counts for a text of another shape than all others, with nothing beside it; of no
# more words, it may be an answer.
REMARK, ANSWER_WORDS = 2e-4, 3
# A header may stand on each page of a print; what is odd so much more often is something else.
MOST_STRAY = 1000
# Tables of more lines come from a program that counts, and not from a print with subtotals.
SUMMED_LINES = 10_000
# Of more factors, the sets of those that a sum may be over are too many.
MOST_FACTORS = 6
# So many last lines may be statistics of all others, in this share of their numbers at least.
MOST_LAST, FITTING = 8, 0.8
# Half a digit of a mean or deviation is at most this share of the deviation.
FINE = 0.1

# --- Frequencies and weights ----------------------------------------------------------------------
# If lines were persons, so many pairs of equal lines would be expected; none has a chance of e^-3,
# and a name says the same.
PAIRS = 3.0
# Counts of a cross table without sums are so large on average.
MEAN_COUNT = 5
# Weights are scaled to a mean of 1; a bare weight, which may be that of a body, is nearer to it.
MEAN, NEAR_MEAN = (0.8, 1.25), (0.97, 1.03)

# --- Choices and several answers ------------------------------------------------------------------
# Columns in which no more than this share is empty are no choices; so many words are a question.
UNTICKED, QUESTION_WORDS = 0.1, 2
# So many neighbours with one and the same mark are choices, whatever their names.
UNNAMED_CHOICES = 3
# Of more parts, or cells with more texts, a column is free text; half of the parts, at least, occur
# alone or in changing places, as the parts of an address do not.
MOST_PARTS, MOST_COMBINATIONS, FREE_PARTS = 40, 4096, 0.5

# --- Codes of missing cells -----------------------------------------------------------------------
# Numbers of more different values measure something; the rule is stricter there.
FEW_VALUES = 12
# Fewer rows, of all columns, are no evidence of a code.
CODE_ROWS = 3
# Numbers that don't count on from 0 or 1 are answers only if there are so many of them.
SOME_VALUES = 5
# What more rows hold is an answer, unless it is farther away than the answers are from each other.
CODE_SHARE = 0.2
MOST_CODES = 4
# With fewer others, a word such as "refused" may be an answer, too. So short a text is a word only
# where no other value is as short: DK is a country, too.
FEW_STATES_BESIDE, SHORT_WORD = 3, 2

# --- Columns that say little ----------------------------------------------------------------------
# A column with this share missing says little; with the larger one, nothing.
MOSTLY_MISSING, NEARLY_ALL_MISSING = 0.5, 0.95
# In a column with no more values, numbers among text are no sign of a mistake.
FEW_NUMBERS = 5

# --- Copies ---------------------------------------------------------------------------------------
# Near copies agree in this share of the rows in which both have a value, and knowing one takes away
# the other share of the errors made in guessing the other.
AGREEMENT, GAIN = 0.95, 0.9
# Rows outside the most frequent state, without which two columns agree by chance.
FEW_OTHERS = 5
# Rows to a state on average, without which nearly every row has its own.
ROWS_A_STATE = 20
# Rows that are compared, and states of one matrix product.
COMPARED_ROWS, COMPARED_STATES = 2048, 2048
# Columns depend on each other where a singular value is this small beside the largest; they belong
# to the sum where they have more than this part in it. Of more columns no sums are looked for.
NULL, INSIDE, MOST_SUMMED = 1e-9, 1e-6, 256
# Rows to a state of a column that others determine: by chance, one of its own each does so, too.
SUMMARY_ROWS = 5

# --- Order ----------------------------------------------------------------------------------------
SCALE_STATES = range(3, 13)
# So many columns with the same labels are items of one scale.
ITEMS = 3

# --- Missing cells --------------------------------------------------------------------------------
# Rows with a missing cell are dropped by default where at least this share of all rows remains.
KEPT_ROWS = 0.8
# Seconds that imputing may take by default, of the thirty until a result is on the page; longer is
# one click, with the time beside it.
IMPUTED_IN = 20.0

# --- Numbers and states ---------------------------------------------------------------------------
BINS = range(2, 6)
# States that fewer than this share of the rows hold are rare in a list of more than fifty.
RARE_SHARE = 0.02
# Where more of the cells would be "other", merging is not advised: little would be left.
MERGED = 0.2
# Odds that a slice must be able to reach from even odds.
ODDS = 19.0

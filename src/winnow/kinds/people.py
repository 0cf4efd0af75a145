"""English words about people and their names, in lower case."""

_FAMILY_NAMES = """
an baker banks bell best bird bishop black blue bond book brook brooks brown bush butcher carpenter
case cash church cook cross day days do driver engineer english farmer field fields fish flowers
ford forest fox french frost game gates german gold good grass graves gray green grey guest hall
hand hands head heart hill hills holiday horn house hunt hunter key king knight lake lamb land lane
law leaf little long love low marsh may mercer merchant miller moon mountain mountains noble north
page palace park parks parrish pepper piper pool poor pope porter post potter power powers price
prince purchase rain read rice rich rivers road root rose rush sage said sailor salt sand savage
sharp short silver singer small smart snow so song south spring stack star steel stone stones storm
story street streets strong summers sweet swift tailor taylor teller temple thorn tower towers tree
underwood vale wall walls ward washington waters way weeks well wells west whale white wild wind
winter winters wise wish wolf wonder wood woods word workman worth young
"""
_NAMES = """
carly chance charity clarence clemence clement constance everly felicity florence guinness harding
jules lance laurence lawrence manning nance patience prudence serenity spence terence terrance
terrence torrance trinity vance verity miles dad mom mum daddy mommy mummy grandma grandpa granny
mama papa
"""
_TITLES = """
mr mrs ms mx miss dr prof professor doctor sir madam lord lady judge justice officer captain
sergeant lieutenant colonel general major president senator governor mayor king queen prince
princess uncle aunt auntie father mother brother sister pastor rabbi imam sheikh sri shri nurse
coach chef agent detective inspector attorney counselor herr frau monsieur madame mme mlle señor
señora doña signor signora saint st
"""
_PARTICLES = """
van von der den de del della di da dos du la le el al bin ibn bint ter ten y zu af av
"""
_SPEAKERS = """
i he she they we you someone somebody everyone everybody person people man woman guy boy girl child
kid client customer user buyer seller vendor supplier landlord tenant boss manager director lawyer
attorney counsel judge witness plaintiff defendant teacher professor doctor nurse patient ceo cto
cfo coo founder owner partner colleague coworker friend neighbor neighbour mother father mom mum
dad brother sister son daughter wife husband aunt uncle cousin grandma grandpa grandmother
grandfather team board committee engineer developer designer analyst consultant agent assistant
operator caller interviewer candidate student accountant auditor banker broker investor officer
president chairman secretary minister mayor senator governor king queen priest pastor driver pilot
chef waiter plumber electrician contractor architect mechanic spokesman spokeswoman spokesperson
reporter journalist author editor critic expert scientist researcher
"""
_BETWEEN = """
has have had also just then later once already again always often even
"""

FAMILY_NAMES = frozenset(_FAMILY_NAMES.split())
"""Ordinary words that are also family names, and are taken for one behind another name."""
NAMES = frozenset(_NAMES.split())
"""Names that look like an ordinary word, like an inflected one, or have its ending."""
TITLES = frozenset(_TITLES.split())
"""Words before a name."""
PARTICLES = frozenset(_PARTICLES.split())
"""Small words inside a name."""
SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "phd", "md", "esq"})
"""Words behind a name."""
SPEAKERS = frozenset(_SPEAKERS.split())
"""Who speaks without a name: "she said", "the client said"."""
BETWEEN = frozenset(_BETWEEN.split())
"""Words between a speaker and "said", as those in -ly are."""
DETERMINERS = frozenset({"the", "a", "an", "my", "our", "your", "his", "her", "their"})
"""Words before a speaker behind "said": "said the client"."""

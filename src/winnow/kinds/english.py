"""Common English words, in lower case, that are nobody's name."""

_ORDINARY = """
abandoned abbey abbreviated about above abs absent absolute abstract abuse academic accelerator
accents accept access accident accidental accommodate accompanied according account accra accuracy
accurate achieve acid acl acquire acre across act actions activate activist activities actor
actress actual adapt add addendum additionally additions address adjacent adjust adjuster
administrator admiral admit admittedly adobe adopted adult advanced advantage advertised
advertising advice advocate affect affidavit affiliate afk africa african after afternoon
afterwards again against age agencies agenda agent aggregate ago agree ahead ai aid aim air airbnb
aircraft airline airport airways ajax aka alabama alas alaska albeit album alcohol alert algebra
algeria algorithm alias align alive all allergen allergy allocated allow almost alone along
alongside alpha alphabet already also alter alternate alternatives although altogether always am
amazing amazon ambassador amen amend america american among amongst amount amsterdam an analysis
analyst analyze ancestor anchor ancient and android angeles anger angle angular animal animated
ankara annex anniversary announced annually another answer antagonist antarctica anthropic antwerp
anxiety any anyhow anymore anyone anything anyway anywhere apache apart api apollo apologies app
apparent appeal appear appellant appellee appendix appetizer apple applications applied appraisal
apprentice approach appropriate approval approve approver approximately apr apy aquarium arabic
arbitrary architect architectural archive are area arena argentina arguments arithmetic arizona arm
armor around arr arranged array arrival arrive arrow art article artifacts artist artwork as asana
asap ascending asia asian aside ask asl aspect assembly assert asset assign assignee assignments
assist assistant associate associations assume astronomy at athens athlete athletic atlanta
atlantic atom atomic attach attack attacker attempt attend attendee attorney attribute auckland
audio audit aug august aunt australia australian austria austrian author authorities authorized
auto automake automated automatic automatically autumn auxiliary avenue average avoid await award
away awesome aws axes axiom axis azure baby bachelor back backend background backlog backstage
backup backward bad bag baghdad bail bailiff baker bakery baku ball ballet banana band bandwidth
bangalore bangkok bangladesh bank bankruptcy banner bar barcelona barcode barely barrel barrier
barrister base baseball baseline bash basic basis basketball batch bathroom battalion battery
battle baz bcc be beach bear beat beauty became because become bed bedroom beef been beer before
began begin begun behalf behave behavior behaviour behind beijing being belarus belgian belgium
belgrade belief believe belong below belt bench benchmark beneath beneficiary benefit bengali
bengaluru berlin beside best bet beta better between beyond bic bicycle bid big bigger biggest bike
billboard billing billion binary bind bird birth birthdate birthday birthplace bishop bit bitbucket
bitcoin black blame blank blanket blind block blocker blog blood blow blue bluetooth bmw board boat
body bold bolivia bomb bone bonus book bookkeeping bookmark bool boolean boot border borough
borrower boss boston bot both bother botswana bottle bottom bought boulevard bound boundary bowl
box boy brace bracket braille brain brake branch brand bravo brazil brazilian brb bread break
breakfast breath breed brick bridge brief bright bring brisbane britain british broad broadcast
broke broken broker bronze brooklyn brother brought browser brussels btw bucharest bucket budapest
buddhist budget buffer bug bugfix build builder built builtin bulgaria bulgarian bulk bump bunch
bundle bureau burn burst bus busan businessman busy but butcher butter button buy buyer by bylaw
byob bypass byte cabinet cac cache cafe cairo cake calculate calculations calculus calendar
california call caller callout calm calorie cambridge came camera camp campaign campo can canada
canadian canal canary cancel cancer candidate cannot canvas cap capabilities capital captain
captcha captured car carb carbon card care career carefully cargo carpenter carpet carriage carried
carrier carry casablanca case cash cast castle cat catch category cathedral catholic cattle caught
cause cavalry caveat cc ceased ceiling cell cemetery center central centre century ceo ceremony
cert certain certificate cfo chain chair chairman challenge champ change changelog channel chapter
char character charge chargeback charger chart charter chat chatbot chatgpt check checklist
checkpoint cheek cheers cheese chef chemistry chennai chess chest chicago chicken child childhood
children china chinese chocolate choice choir choose chore chose chosen christmas chrome chunk
church churn cicd cinema cipher circle circuit circular circumstances cities citizen civil claim
claimant class classic classified classroom clause clean cleanup clear clearer clerk cli click
client climate clinic clip clock clojure clone close closer closest cloth cloud club cluster coach
coal coast coat cobol code coefficients coffee coin cold collaborators collateral colleague collect
collections collector college cologne colombia colon colonel colonial colony color colorado colour
column combinations combine come comedy command commentary commented comments commit committee
common commonwealth communicate communities commute compact companion company compare comparison
compete compiled compiler compiling complain complaint complete complex compliant complicated
component compose composer compost compound comprehensive compressed compressor compute computer
concept concern concert concluded concrete concurrent conditions conducted confederate config
configurations configured confirm conflict conform confused confusing congrats congratulations
congress connect connecticut connections connector cons consent consequently consider consist
consistent console consolidate consortium constant constitutes constrained constraint construct
consultant consulted consume consumer contact contain container contemporary content contest
context continue contract contractor contrast contributed contributions contributors control
controller controversial controversy convenient conversely conversions convert convinced coo cookie
cool coordinates copay cope copenhagen copied copper copy copyright core corner corollary corp
corporate correct corrections correspond corridor corrupt cosmetic cost couch cough could council
counsel count counter counterclaim counterparty country county couple coupon courier course court
cousin cover coverage coworker cpu crash crazy cream create credentials credit creditor crew
cricket crime criminal criteria critic croatia cron crop cross crowd crown crypt crypto csr csv cto
cuba cuckoo cup curl current curriculum curse curtain curve custodian custom customer customized
cut cv cycle cylinder czech dad daemon daily damage dancer dancing danger dangling danish dark dash
dashboard data database date daughter day db dead deadline deal dear death debate debian debit debt
debtor debug dec decade december decide decimal decisions deck declare decline decrease decree
dedicated deed deep deeper default defend defendant defense defensive define definitely definitions
degree delay deleted delhi delivered delivery demand demo democracy democrat demon demonstrate
denied denmark dentist denver deny depend dependent deploy deposit deprecated dept depth derived
descending descent describe descriptions desert design designated designer desire desk despite
dessert destinations destroy detached detail detect determine detroit dev develop developer device
devil dhaka diabetes diablo diagnosis diagnostic diagram dialect diameter dice dictionary did die
died diesel diet differ differences different difficult digest digit digital dimensions dinner
direct directory dirt dirty disabled disappeared disaster disc discarded disclaimer discord
discount discover discovery discuss disease dishwasher disk disorder dispatch displaced display
distant distinct distinguish distribute distributions district divide dividend divisions divorce
diwali diy django dlaczego dns do dob doc docker dockerfile docket doctor doctrine documentary
documented documents does dog doha doi doing dollar domain domestic donated done door doorway
dosage dot double doubt down download downstream downtime downtown dozen dr draft drag dragon drama
draw drawback drawn dream dress drinking drive driven driver drop drug drums dry dual dubai dublin
due duke dummy dump duplicate during dust dutch duty dwarf dying dynamic dynasty each eagle ear
earlier earliest earnout earth earthquake ease easier easily easter easy eat ebitda echo economic
economy ecuador edge edinburgh edit editions editor effect effectively efficient effort eg egg
egypt eight eighth ein either elasticsearch elbow elder electoral electrician electron electronic
elements eleven eliminate elixir else elsewhere email embassy embedded embeddings emitted emotions
emperor empire employed employee employer empty enabled enables enabling enclosed encoded encoding
encountered encouraged end endpoint enemy energy enforce engine engineer england english enhanced
enjoy enough ensures ensuring enter enterprise entire entities entropy entry enum environmental
environments eod eow epic epilogue episode epoch equal equivalent era erase erlang errand error
escape escrow especially essay essentially establish estate estimate estonia eta etc ethereum
ethiopia ethnic eu euro europe european evaluate even event eventually ever every everyday everyone
everything everywhere evidently evil ex exact exam examine example exceed excellent except
exceptions excerpt excessive exchange exclude exclusive excuse execute executions executor exercise
exhibit exist exit exodus expand expect expense expensive experienced experiences experimental
expert expired explain explicit explorer export expose express expressions extend extensions
extensive extent external extra extract extreme eye face facebook facilities fact factor factory
faculty fail failure fair fake fall false familiar family fans fantasy faq far farewell farmer
fashion fast fastapi faster fat fatal father fault favor favorite fax fear featured features
featuring feb february federal fedora fee feed feedback feel fell fellow female ferry fertilizer
festival fetch fever few fewer fiber fibre fiduciary field fifth fig figure file fill film filter
final find fine finger finish finite finland finnish fire firefox first fishing fit five fix fixme
fixtures fixup flag flake flame flash flask flat fleet flex flight float flock flood floor florida
flour flow flower flu fluid flush flute flux fly focus fold folder folk follow followup font foo
food foot footage football footnote for force ford forecast forehead foreign forest forever forget
forgot forgotten fork form formal format former formula forth fortran forum forward found founder
four fourth fragments frame framework franchise francisco frankfurt frankly free freedom freeze
freezer freight french frequent fresh fri friday fridge friend from front frontend frozen fruit ftp
ftw fuel fulfilled full fully fun functions fund funeral funnel funny fur furnished further
furthermore fw fwd fyi gain galaxy gallery game gamma gap garage garbage garden garlic garnish gas
gate gateway gathered gave gcp gdb gdpr gear gemini gender general generate generator generic
genesis geneva genre gentleman gently geometry german germany get ghana ghost giant gift girl
girlfriend git github gitlab give given glad glasgow glasses glib global glossary gloves gmail gmbh
gnome go goal god goes going golang gold golf gone gonna good goodbye google gospel got gotten
govern governor gpt grab gracefully grade gradually graduate grammar grandfather grandmother
granted grantee grantor grants graph grass grave great greater greatest greece greek green
greetings grew grey grid grip grocery gross ground group grow grown growth grunt gtk guangzhou
guarantee guarantor guard guardian guess guest gui guide guideline guitar gulp gun guys gym habit
hack had hair half halloween hallway hamburg hand handle handler hang hanoi hanukkah happen happy
harbor harbour hard harder has hash haskell hat hate have hawaii he head headache headcount header
headline headphones headquarters health healthcare healthy heap hear heard hearsay heart heaven
heavily heavy hebrew height heir held helicopter hell hello help helsinki her here hero herself hey
hi hidden hide hierarchy high higher highest highlight hiking hill himself hindi hindu hint hipaa
hire his historian historic historically history hit hmm hobby hockey hold holdback holdings hole
holiday holland hollywood home hometown homework honda honestly honor honour hook hoped hopefully
hoping horizontal horror horse hospital host hostname hot hotel hotfix hour house household houston
how however hr html http huge human hundred hung hungarian hungary hunting hurt husband hyderabad
hydrogen hypothesis iam iban ibm ice icebreaker iceland icon icymi id idea ideally identified
identifies identifying idle ie if ignore ill illegal illinois illustrator image imagine imho
immediate imo impact implementations implemented implementing implements implicit implied imply
import important improve improvements in inbox inc inch incident incidentally include inclusive
income incomplete inconsistent incorporated incorrect incoterms increase indeed independent index
india indian indicate indicator indices indirect individual indonesia industry infantry inferior
infinite influenced info informed ingredient inherit initially injury inline inner input inserted
inside insight inspect inspector inspired instagram install installations installer instances
instant instead institute instructions instrumental insufficient integer integrate intel intended
intense intent inter interact interactions intercept interest interestingly interface interior
intermediate intern internal internet interpret interpreter interrupt interval interview into
intrinsic introduce invalid inventory inverse investor invoice invoked involved involves involving
ionic ios iowa ip ira iran iraq ireland irish iron ironically is isbn island iso isolate issn issue
issuer istanbul it italian italy item itinerary its itself jacket jail jakarta jamaica janitor
january japan japanese java javadoc javascript jazz jeans jeddah jenkins jerusalem jewelry jewish
jira job johannesburg join joke journal journalist journey judge juice jul july jump jungle junior
jupiter jury just jwt kafka kanban kansas karachi kathmandu kconfig keep kennel kept kernel key
keyboard keyword kick kickoff kid kidney kiev kill killer kind king kingdom kitchen kitten knee
knew knight know knowledge known kolkata korea korean kotlin kpi krakow kubernetes kyiv kyoto label
labor labour labs lack lady lagos lahore laid lake lambda lamp land landlord landscape lane lang
language laptop large larger largest last late later latest latin latter latvia laughter launch
launcher laundry law lawyer layer layout lazy ldap lead leader leaf leak learn learnings lease
leash least leather leave lebanon ledger left leg legacy legal legend lemma lender length lessee
lesson lessor let letter level liberal library libya license licensee licensor lie lien life
lifetime lift light lightweight like likewise limb limit limitations line linear link linkedin
lintian linux lion lisbon list listen listener literacy literal literary lithuania litter little
live liver liverpool llama llc llm llp load loan local localhost locate locations lock log logic
lol london long longer longest look loop loose lord lose loser loss lost lot louisiana love low
lower lowest lowlight ltd ltv luck luckily lucky luggage lunch lung lying machine machinery macos
macro made madrid magazine magic magistrate mail main maintain maintainer major make makefile
makeup malaysia male mall man manage manager manchester mandatory manhattan manifest manila
manipulate manner manor manpage manual manufacturing manuscript many map marathon march margin
markdown marked marker market marking marks married mars maryland mask mass massachusetts massive
master mat match material materialized math matrix matter mattress maximum may maybe mayor mcp me
mean meant meanwhile measured measures meat mechanic mechanisms medal media median medicine
medieval medium meet melbourne member memo memorial memory men mental mentee mentioned mentions
mentor menu merely merge merger mesa mess message meta metadata metal meters method metre metric
metro mexican mexico mfa miami michigan micro microchip microservice microsoft microwave mid middle
midnight might migrate milan mile mileage milestone military milk million mind mine mini minimal
minimum minister ministry minnesota minor minsk minus minute mirror misc misleading miss missile
missouri mistake mistral mix miért ml mobile mock mod mode model moderator modern modifications
modified modifying modular module mom's moments mon monaco monastery monday money mongodb monitor
monk monster month montreal mood moon moonrise more moreover morning morocco mortgage mortgagee
mortgagor moscow mosque most mother motorcycle motors motto mount mountain mouse mouth move
movements movie mozambique mrr msa much multi multiple mumbai munich municipal murder muscle museum
music musician muslim must mute mutually my myself mysql mystery myth nails nairobi naked name
namibia naples narrator narrow natural nb nda near nearby nearest neatly necessarily necessary neck
necklace need negotiated neighbor neighborhood neighbour neither nepal nephew nest net netflix
netherlands network nevada never new newer newest newsletter newspaper next nginx nice nickname
niece nigeria night nine ninth nitrogen nlp no nobody node noise noisy nokia nominee noon nope nor
normal norway norwegian nose not nota notably notary note notebook nothing notice nov novel
november now npm nr nsfw nuclear null number numpy nurse nvidia oauth object obligee obligor
obscure observed obsidian obsolete obtain obviously occasionally occasions occupied occur
occurrences ocean oct october oddly of off offboarding offer office officer officially offset
offsite often ohio oil ok okay okr old older oldest omega omitted on onboarding oncall once one
ongoing onion online only onto ooo oops opaque open openai opera operate operations operator
opinion opponent opportunities opposed opposite ops options or oracle orange order ordinary oregon
organ organizations organized organizer origin original orlando orthodox os osaka oslo other
otherwise otp ottawa ouch our out outage outbreak outcome outdated outer outgoing outline output
outside outstanding oven over overall overflow overhead overlap overrun overview own owner oxford
oxygen pack package packet padded padding page pager paid pain paint painter pair pakistan palace
palette pandas panel panelist panic pants paper paragraph paraguay paralegal parallel parameter
paraphrase parent parentheses park parser parsing part partially participant participate particular
partner party pass passage passenger passport password past pasta paste patch patent path patient
patrol pattern pause payee payer paying payload payroll pdf peace peak peer penalty pending
pennsylvania people per percent percentage perché perfect perform performances perfume perhaps
period perl permanent permit persian persist persistent person persona personal personnel peru pet
petitioner petrol pharma pharmacy phase philadelphia philippines philosophy phone photo photograph
photographer phrase physician piano pick pictures pie piece pilates pillow pilot pin pink pipe
pipeline pit pitch pixel pizza place plain plaintiff plan plane planet planner plant plastic plate
platform play playbook player playlist playwright plaza plc please plot plug plugin plumber
plumbing plus pm pocket poem poetry point pointer poland pole police policy polish politician poll
poly polynomial pool poor pop pope popular populated pork porqué port portal portfolio portions
portland portrait portugal portuguese positions possibly post postcode postgres postgresql
postmortem potato potentially pound pour pourquoi poverty power pr practice prague praised prayer
preceded preceding precise predicate preface prefer preferences prefix premier premise premium
prepare present presenter preserve president press presumably pretty prevent preview previously
price pride priest primarily primary prime prince principal principle print printer prior
priorities prison prisoner privacy private privilege probably probate probe problem problematic
procedure process processor prod produce producer product professor profile profit program
programme programmer progress progressive project prologue prominent promise promote prompt proof
prop proper property proposal proposed pros prosecutor prospect protagonist protect protein protest
proto protocol prototype proud prove provide provider province proxy proč ps psalm pseudo pto pub
public publications publish publisher pull pupil puppy purchase pure purge purple purpose purse
push put puzzle pytest python pytorch qa qt qualified qualifier qualifying quarter quartz queen
query questionnaire questions queue quick quiet quilt quit quite quota quote qux rabbi rabbitmq
race raci radio rag railroad railway rain rainfall raise ram ramadan rand random range ranger rank
rapid rare rate rather ratio rationale raw rca re reach react read reader readme ready real
realized reason rebate rebuild rebuilt receipt receive receiver recent recipe recipient recognized
recognizes recommend recommendations record recover recovery recruiter redis reduce redundant ref
refactor refer referee referenced references referencing reflect refugee refund refuse regarded
regarding regards regex region register regular regulator reign reject related relations
relationships relatively relax relay release relevant relief religion rely remain remainder remark
remedy remember reminded reminder remix remote removal remove rename render renewal rent repair
repeat replace replay replica reply repo report reporter repository represent representations
reproduce republic request require rescue research researcher reservations reserve reset resident
resides residing resolve resort resource resp respect respectively respond respondent response
responsive rest restart restaurant restore restrict restrictions result resume retail retain
retainer retired retrieval retrieve retro return reused revealed revenue reverse revert review
reviewer revised revisions revival revoked reykjavik rfp rfq rhythm rice ride rifle riga right ring
rip risk rival river riyadh road roadmap robust rock rocket roi role roll rollback rollout romania
romanian rome roof rookie room root rope roth rotterdam rough round route routine row royalty rsvp
rubber rugby rule run runbook runner runway rural rush russia russian rust rwanda saas sad safari
safe safer safety said saigon sailor saint salad salary sale salesforce salsa salt same saml sample
samsung sand sandwich sans satellite satisfied satisfy saturday saturn sauce save saw say scale
scan scarf scenario scene schedule schema scheme scholar school scientific scientist scope score
scotland scottish scratch scream screen script scroll scrum sdk sea search season seat seattle
second secondary secret secretary sections sector secure sedan see seed seek seem seen segments
select selector self sell seller semantic semi seminar senate senator send sender senegal senior
sense sent sentinel seoul sep separate sept september sequences serbia sergeant serial serialized
series serif seriously serpent servant serve server service sessions set settled settlor setup sev
seven seventh several severe seville sex sexual shadow shake shall shallow shampoo shanghai shape
share shareholder she sheep sheet shell shenzhen sheriff shield shift shipped ships shirt shoes
shooting shop shore short shorter shot should shoulder show shower shown shrink shut sibling side
sidebar sigh sign signal signatory signatures signer significant silent silver similar simple
simpler simplified simply simulate simultaneously since sincerely singapore single sink sister site
sitting situations six sixteen sixth sized sizes skills skin skipped skipping skirt sku sky sla
slab slack slash slave sleep slice slightly slogan slot slovakia slovenia slow slower small smaller
smallest smart smell smile smoke smooth snack snippet snow so soap soc soccer sock socket sofa soft
soil soldier sole solicitor solid solo solve some somehow someone something sometimes somewhat
somewhere son song songwriter sony soon sorry sort sought soul sound soundtrack soup source sow
space spain span spanish sparse spawn speak speaker spec specialist specially species specific
specifically specifications specified specifies spectrum speech speed spell spend spent sphinx
spider spin spirit split spoiler spoke spoken sponsor sport spouse spread spring sprint sql sqlite
squad square ssd ssh ssl ssn sso stack stadium staff stage stairs stakeholder stale stamp stand
standalone standard standup star start starter startup stat state statements static status statute
stay steel step stick sticky still stipend stock stockholder stockholm stomach stone stop storage
store storm story straight strange stranger strategic strategy stray stream street strength stress
strict stride strike string strip stroke strong stronger structured structures stuck student studio
study stuff stupid style sub subject submarine submit submodule subpoena subsequent subset
subsidiary substitute subtitle subtle subtotal succeed success successfully successor such sudan
suddenly sufficient suffix sugar suggest suggestions suicide suit suite sum summary sun sunday
sunrise sunset super superior supermarket supper supplementary supplied supplier supply support
supporter suppose suppress surely surety surface surgeon surgery surname surprise surprisingly
surrounded surrounding survey survive suspend svelte swap sweden swedish sweet swift swim swiss
switch switzerland sword swot syllabus symbol symbolic symmetric symphony symptom sync syndicate
synonym synopsis syntax synthetic syria system tab tables tablet tactic tag tail tailor taipei
taiwan take takeaway taken takeover tale talent talk tall tallinn tamil tanzania tap tape tar
target tariff task taste taught tax taxi tba tbc tbd tbilisi tcp tea teach teacher team technique
teenager tehran tel telemetry telephone tell template temple temporal temporarily temporary ten
tenancy tenant tend tender tennis tensorflow term terminal terminate terraform territory tesla test
testator testcase testimony testsuite texas text textual thai thailand than thank thankfully
thanksgiving that the theater theatre their them theme themselves then theorem theory there
thereafter therefore these thesis they thin thing think third thirty this those though thought
thousand thread threat three threshold threw thriller throne through throughout throughput throw
thrown thu thunder thur thursday ticker ticket tide tie tied tier tight tiktok tile till timber
time timeline timer tiny tip tire tissue title tl tldr tls to today todo toe together token
tokenizer tokyo told tomato tomb toml tomorrow tone tongue tonight tons too took tool tooth top
topic toronto tort total totp touch touchdown tough tour tourist toward towel tower town toy toyota
trace traceback track tracker trade trademark traditionally traffic tragedy trail trailer train
transactions transfer transferee transferor transform transformations transient transit transitions
translate translations translator transmitted transparent transport trap travel traverse treasurer
treat treaty tree trello trial tribe tribute trick tried tries trigger trim trio trip triple
trivial troop trophy trouble trousers truck true truly truncated trunk trust trustee truth try tue
tuesday tune tunis tunisia tunnel turin turkey turkish turn tutorial tv twelve twenty twice twin
twitter two type typescript typically typo uae uber ubuntu udp uganda ui uk ukraine ukrainian
ultimately un unauthorized unchanged uncle under underflow underlying understand understood
underwriter undo undoubtedly unexpected unfortunately unicode unified uniform union unique unit
universal universe unix unknown unlike unlimited unlock unnamed unnecessary unrelated unsafe
unsigned unspecified until unused unusual unwanted up upcoming update upgrade uploaded upon upper
upstream uptime urdu urgent uri url uruguay us usa usage usb use used user username using usual
utah utilities uuid ux vaccine vacuum valid valley value vampire vancouver vanilla variables
variant variations variety vast vat vault vector vegas vehicle vendor venezuela venice ventures
venue verdict verified versa verse versions versus very vessel vet veteran via vice victim video
vienna vietnam vietnamese view viewer village villain vilnius violations violent violin virtual
virus visa visit visitor visual vitamin vocals vodka voice void vol volatile volleyball voltage
volume volunteer vote voter voucher vpn vs vue waarom waist wait waiter wake wales walk wall wallet
want war warehouse warm warn warranty warsaw warum was waste watch water wave way wayland we weak
wealth weapon weather webhook webinar website websocket wed wednesday week weekday weekend weight
weird welcome well welsh went were wfh what whatever wheel when whenever where whereas whether
which while whilst whisky white whitespace who whoever whole wholesaler whom whose why wide
widespread width wife wifi wiki wild wildlife willing wind window wine wing winner winning wins
winter wip wire wisconsin wish witch with within without woman women wonder wood wooden word
wordpress work workaround worker workforce workout workshop world worldwide worry worse worst worth
would wound wow wrap write writer written wrong wrote www xml xxx yahoo yaml yard yeah year yellow
yep yerevan yes yesterday yet yield yoga york you young younger your yourself youth youtube zagreb
zealand zero zimbabwe zip zipcode zone zoo zoom zurich
"""
_ENDINGS = """
tion sion ment ness ity ship ism logy graphy ance ence ible able ical less ful ency ware ous ture
sure ize ify ics tude cial tial tional ctive tive tions sions ments ships ances ences ities
"""

ORDINARY = frozenset(_ORDINARY.split())
"""Words of everyday and of business, law, software and the household, most in their base form."""
ENDINGS = tuple(_ENDINGS.split())
"""What such words end in; those that do are not listed."""

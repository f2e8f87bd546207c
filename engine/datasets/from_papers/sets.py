"""The data sets of the five papers, and some like them: what each is, how it is prepared, where it is downloaded from.

A home is named only where its rows are those of the checksum, in the same order. What is known only from a derived
or reordered copy has none, and has to be put into the user's folder.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from engine.datasets.catalogue import Entry, register
from engine.datasets.dataset import Dataset, Task, limit_rows
from engine.datasets.from_papers import formats
from engine.datasets.from_papers.fetch import Home, is_at_hand, obtain
from engine.datasets.from_papers.prepare import Recipe, prepare, smooth_images
from engine.runtime.errors import invalid

LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
ESL = "https://hastie.su.domains/ElemStatLearn/datasets"
MNIST = "https://ossci-datasets.s3.amazonaws.com/mnist"

AS_PUBLISHED = Recipe()
SPLIT = Recipe(split=True)
SPLIT_UNIT = Recipe(split=True, unit=True)


@dataclass(frozen=True)
class PaperSet:
    """One line of the table."""

    name: str
    title: str
    rows: int
    """Training rows, after the split."""
    sha256: str
    description: str
    source: str
    recipe: Recipe = AS_PUBLISHED
    home: Home | None = None
    task: Task = "classification"
    options: Mapping[str, object] = field(default_factory=dict)

    def make(self, size: int, noise: None, seed: int, smooth: object = False) -> Dataset:
        """Find, prepare and cut down the set; `smooth` is an option of usps alone."""
        if not isinstance(smooth, bool):
            raise invalid("smooth", smooth, "True or False")
        split_rng, pick_rng = np.random.default_rng(seed).spawn(2)
        raw = obtain(self.name, self.sha256, self.home)
        X, y, X_test, y_test = prepare(raw, self.recipe, self.rows, split_rng)
        if smooth:
            X, X_test = smooth_images(X, side=16, width=0.75), smooth_images(X_test, side=16, width=0.75)
        data = Dataset(self.name, self.title, X, y, X_test, y_test, task=self.task)
        return limit_rows(data, size, pick_rng)


def _libsvm(folder: str, *files: str, features: int, sparse: bool = False) -> Home:
    kinds: dict[str, formats.Labels] = {"binary": "binary", "multiclass": "multiclass", "regression": "regression"}
    urls = tuple(f"{LIBSVM}/{folder}/{file}" for file in files)
    return Home(urls, formats.libsvm(features, kinds[folder], sparse=sparse))


PAPER_SETS = (
    PaperSet(
        name="ijcnn1",
        title="IJCNN 2001 (ijcnn1)",
        rows=49_990,
        sha256="0f8e78a63c2b4334c374efd2ab2ac486ebe0bc85d053c601aae9567906c8404a",
        description="Misfires of a combustion engine, one in ten; 22 features as LIBSVM has them, with its test part.",
        source="IJCNN 2001 challenge, at LIBSVM; DC-SVM Tables 2 and 3, BSGD lookup Table 1, ICF-IPM Table 4",
        home=_libsvm("binary", "ijcnn1.bz2", "ijcnn1.t.bz2", features=22),
    ),
    PaperSet(
        name="covtype",
        title="Forest cover type (covtype)",
        rows=464_810,
        sha256="fa2842efd1b7d040834eecd10340400668c274eed4522d8a5cfd8333f0baea55",
        description="Cover type 2 (lodgepole pine) against the six others by 54 map features, scaled to [0, 1]; random "
        "80/20 split.",
        source="UCI; DC-SVM Tables 2 and 3, DC-Pred++ Table 1, ICF-IPM Table 4",
        recipe=SPLIT_UNIT,
        # scikit-learn's copy of UCI's covtype.data.gz.
        home=Home(("https://ndownloader.figshare.com/files/5976039",), formats.covtype),
    ),
    PaperSet(
        name="census",
        title="Census income (census)",
        rows=159_619,
        sha256="57f792262ae74dc0327242cd045400f88609c6bae162ea31fdee2261e67d69f2",
        description="An income of 50,000 dollars or more, one in sixteen, by 41 columns as 409 one-hot features in "
        "[0, 1]; the published training rows split 80/20 at random, as in DC-SVM. Many rows are equal.",
        source="UCI, Census-Income (KDD); DC-SVM Tables 2 and 3",
        recipe=SPLIT_UNIT,
        home=Home(
            (f"{UCI}/census-income-mld/census-income.data.gz", f"{UCI}/census-income-mld/census-income.test.gz"),
            formats.census,
        ),
    ),
    PaperSet(
        name="kddcup99_10pct",
        title="KDD Cup 1999, tenth part (kddcup99)",
        rows=395_217,
        sha256="f576a214135c26af507498ffba8002ca1d7c03be0c80b0beca7008814730fe14",
        description="Attacks against normal connections by 41 columns as 119 one-hot features in [0, 1]; a tenth "
        "of the training rows that DC-SVM used, split 80/20 at random. Most rows are equal.",
        source="UCI KDD archive; DC-SVM Tables 2 and 3, DC-Pred++ Table 1",
        recipe=SPLIT_UNIT,
        # scikit-learn's copy of the tenth part, and UCI's labelled test part.
        home=Home(
            ("https://ndownloader.figshare.com/files/5976042", f"{UCI}/kddcup99-mld/corrected.gz"), formats.kddcup99
        ),
    ),
    PaperSet(
        name="a9a",
        title="Adult (a9a)",
        rows=32_561,
        sha256="9d3b15756782f6ec9f34f138f85e390fb20becbc43d6ec55e2f402b305b211b2",
        description="An income above 50,000 dollars, one in four, by 123 binary features; sparse, with its test part.",
        source="UCI Adult as LIBSVM has it; BSGD lookup Table 1, DC-Pred++ Table 1",
        home=_libsvm("binary", "a9a", "a9a.t", features=123, sparse=True),
    ),
    PaperSet(
        name="w6a",
        title="Web pages (w6a)",
        rows=17_188,
        sha256="af7535d0bfee6fda998ae8665e8372f99e7a53aacf6604dff53ae769a5d6012d",
        description="Whether a web page is of a category, one in thirty-three, by 300 keywords; sparse, with its test "
        "part.",
        source="Platt 1998 as LIBSVM has it; BSGD lookup Table 1, ICF-IPM Table 4",
        home=_libsvm("binary", "w6a", "w6a.t", features=300, sparse=True),
    ),
    PaperSet(
        name="phishing",
        title="Phishing web sites",
        rows=8_315,
        sha256="8f13ee262861f53f628cb0c6df5d7653630e73cd4813d07eb101b7c583ffa95a",
        description="Phishing against honest web sites by 68 features, rows of unit length; sparse. Random split "
        "with as many training rows as in the BSGD lookup paper.",
        source="UCI as LIBSVM has it; BSGD lookup Table 1",
        recipe=SPLIT,
        home=_libsvm("binary", "phishing", features=68, sparse=True),
    ),
    PaperSet(
        name="skin_nonskin",
        title="Skin pixels (skin)",
        rows=183_793,
        sha256="e6e938d262a1cb94a53c2961a8a3ea783f967bdf9925b90f3f1da9a6fde379c5",
        description="Skin against other pixels, one in five, by blue, green and red in [0, 1]; random 75/25 split.",
        source="UCI; BSGD lookup Table 1",
        recipe=SPLIT_UNIT,
        home=Home((f"{UCI}/00229/Skin_NonSkin.txt",), formats.skin),
    ),
    PaperSet(
        name="susy_30k",
        title="Supersymmetry, 30,000 rows (SUSY)",
        rows=27_000,
        sha256="85f8e9a035794554164edd428636ea7073218890256e970b4967357f51ff1438",
        description="Particles of supersymmetry against background by 18 measurements; 30,000 of 5 million rows, "
        "random 90/10 split. No download: this subset has no public home.",
        source="UCI, a subset; BSGD lookup Table 1",
        recipe=SPLIT,
    ),
    PaperSet(
        name="mushrooms",
        title="Mushrooms",
        rows=6_500,
        sha256="cf9194b1576486052147ccf3e97a466f82d9378182713f9fc96258210b56cf23",
        description="Edible or poisonous by 112 binary features; sparse, separable. Random 80/20 split.",
        source="UCI as LIBSVM has it",
        recipe=SPLIT,
        home=_libsvm("binary", "mushrooms", features=112, sparse=True),
    ),
    PaperSet(
        name="banana",
        title="Banana",
        rows=4_300,
        sha256="41dc192236984431e97a30b81ca82b9cafa104217d13ad3cf1410c0967347949",
        description="Two curved, overlapping clouds in the plane; random split of 4,300 and 1,000 rows. No download: "
        "its home keeps it in another form.",
        source="KEEL; BSGD Table 3",
        recipe=SPLIT,
    ),
    PaperSet(
        name="fourclass_scale",
        title="Fourclass",
        rows=690,
        sha256="ad89e0469fbd88d0f7597321665ce44d081835ad1deeecf622fad41f6c54154e",
        description="Two classes in many patches of the plane, scaled to [-1, 1] by LIBSVM; random 80/20 split.",
        source="Ho and Kleinberg 1996 as LIBSVM has it",
        recipe=SPLIT,
        home=_libsvm("binary", "fourclass_scale", features=2),
    ),
    PaperSet(
        name="diabetes_scale",
        title="Diabetes (Pima)",
        rows=615,
        sha256="f57ac94595fa350958a22f2fc7abd73aa07eae396e600320f8da3d5b99ab50bd",
        description="Diabetes by 8 measurements, scaled to [-1, 1]; -1 is tested positive, as at LIBSVM; random 80/20 "
        "split. No download: LIBSVM's rows are in another order.",
        source="KEEL, scaled as LIBSVM does",
        recipe=SPLIT,
    ),
    PaperSet(
        name="australian",
        title="Australian credit",
        rows=552,
        sha256="afd950f451bb97c618a4d730431277aaa71efb045a490e1c6aa7219a4552df77",
        description="Credit granted or not by 14 features of unlike size, scaled to [0, 1]; random 80/20 split.",
        source="UCI (Statlog) as LIBSVM has it",
        recipe=SPLIT_UNIT,
        home=_libsvm("binary", "australian", features=14),
    ),
    PaperSet(
        name="heart_scale",
        title="Heart disease",
        rows=216,
        sha256="7fd7ff95769dc19561c66d077ba4e9a7412c6092e91754558d39bb5ab71e2c64",
        description="Heart disease by 13 features, scaled to [-1, 1] by LIBSVM; random 80/20 split.",
        source="UCI (Statlog) as LIBSVM has it",
        recipe=SPLIT,
        home=_libsvm("binary", "heart_scale", features=13),
    ),
    PaperSet(
        name="mnist",
        title="MNIST digits",
        rows=60_000,
        sha256="9f5c23285773db47bab2be64df2d688a6df50953f3c24ac170f9934d7068b031",
        description="Handwritten digits as images of 28 by 28 pixels, grey values / 255; ten classes, with its test "
        "part.",
        source="LeCun et al. 1998; DC-SVM and DC-Pred++ used its enlarged version",
        recipe=Recipe(divisor=255.0),
        home=Home(
            tuple(
                f"{MNIST}/{part}-{kind}-ubyte.gz"
                for part in ("train", "t10k")
                for kind in ("images-idx3", "labels-idx1")
            ),
            formats.mnist,
        ),
    ),
    PaperSet(
        name="usps",
        title="USPS digits",
        rows=7_291,
        sha256="0c004eb8b15c69b1bbe5203a04f6e16535710e4525755b825acfb4e4202000b5",
        description="Handwritten digits from envelopes, 16 by 16 pixels from -1 to 1; ten classes, with its test part. "
        "`smooth` blurs the images with a Gaussian of width 0.75, as in ClusterSVM.",
        source="Le Cun et al. 1990, from The Elements of Statistical Learning; ClusterSVM Table 3, DC-Pred++ Table 1",
        home=Home((f"{ESL}/zip.train.gz", f"{ESL}/zip.test.gz"), formats.usps),
        options={"smooth": False},
    ),
    PaperSet(
        name="letter",
        title="Letters",
        rows=15_000,
        sha256="b300c869c595208922200cd8bcdae695f814a684ccc5bf61b5fbe20fb14ab677",
        description="Capital letters by 16 features of their image, scaled to [-1, 1] by LIBSVM; 26 classes, with its "
        "test part.",
        source="UCI (Statlog) as LIBSVM has it; DC-Pred++ Table 1",
        home=_libsvm("multiclass", "letter.scale", "letter.scale.t", features=16),
    ),
    PaperSet(
        name="isolet",
        title="Spoken letters (Isolet)",
        rows=6_238,
        sha256="194fbd2d68fbd751251b35a63461ee31a345c16ad0a49697bd7206ff6b626cf8",
        description="Spoken letters by 617 features from -1 to 1; 26 classes, with its test part. No download: the "
        "public file has its rows in another order.",
        source="UCI; ClusterSVM Table 4",
    ),
    PaperSet(
        name="cifar10_4k",
        title="CIFAR-10, 4,000 images: animals",
        rows=3_200,
        sha256="53e857b2b77449236af51fe3f42319f508431a3a95f284e2bc6c3bf2a2d9154d",
        description="Animals against vehicles in 4,000 of 60,000 colour images of 32 by 32 pixels, 0 to 255 unscaled, "
        "as in DC-SVM. No download: this subset has no public home.",
        source="Krizhevsky 2009, a subset; DC-SVM Tables 2 and 3",
        recipe=Recipe(positive=(2, 3, 4, 5, 6, 7)),
    ),
    PaperSet(
        name="cadata",
        title="California housing (cadata)",
        rows=16_512,
        sha256="51f1a445e9dcd726c25a866ebeca81e364dc90edfc05ad84513ece8b546e84af",
        description="The median house value of a block by 8 features, scaled to [0, 1]; random 80/20 split.",
        source="StatLib as LIBSVM has it; DC-Pred++ Table 2",
        recipe=SPLIT_UNIT,
        home=_libsvm("regression", "cadata", features=8),
        task="regression",
    ),
    PaperSet(
        name="cpusmall",
        title="Computer activity (cpusmall)",
        rows=6_554,
        sha256="70dbf2a5557b274e4d24c6e07b7059c53efc69292a1dc5638e452c31dc31b6e3",
        description="The share of time a processor runs in user mode by 12 features, scaled to [0, 1]; random 80/20 "
        "split. No download: whether LIBSVM's rows are in this order is not known.",
        source="Delve; DC-Pred++ Table 2",
        recipe=SPLIT_UNIT,
        task="regression",
    ),
    PaperSet(
        name="house_8l",
        title="House prices (house_8l)",
        rows=18_228,
        sha256="91d1e06f777a4e96e38a808cc76bf06b815aa19b954fdb5945a6dc3f3ccebfde",
        description="The median house price of a region by 8 census features, scaled to [0, 1]; random 80/20 split. A "
        "stand-in for DC-Pred++'s Census. No download.",
        source="Delve census-house; beside DC-Pred++ Table 2",
        recipe=SPLIT_UNIT,
        task="regression",
    ),
    PaperSet(
        name="abalone_scale",
        title="Abalone",
        rows=3_342,
        sha256="b2a8d1117f9c9830075cab01d0d0f7f55ba7f2ed700fd2c5566a25928f00dff4",
        description="The rings of an abalone, its age, by 8 measurements, scaled to [-1, 1] by LIBSVM; random 80/20 "
        "split.",
        source="UCI as LIBSVM has it",
        recipe=SPLIT,
        home=_libsvm("regression", "abalone_scale", features=8),
        task="regression",
    ),
)


def entry_of(paper: PaperSet) -> Entry:
    """Return the catalogue's entry of a line of the table."""

    def available() -> bool:
        return is_at_hand(paper.name)

    return Entry(
        name=paper.name,
        title=paper.title,
        kind="paper",
        description=paper.description,
        size=paper.rows,
        min_size=2,
        max_size=paper.rows,
        make=paper.make,
        options=paper.options,
        task=paper.task,
        source=paper.source,
        home=paper.home.urls if paper.home else (),
        available=available,
    )


for _paper in PAPER_SETS:
    register(entry_of(_paper))

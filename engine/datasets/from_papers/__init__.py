"""The data sets that the papers measure on, by name; none of them is shipped.

In: a name. Out: arrays, from the folder of `SVM_EXPLORER_DATA`, from the user's cache, or downloaded into it.

`sets` lists them and fills the catalogue -> `fetch` finds or downloads a file -> `formats` reads what its public home
has -> `raw` keeps it as .npz -> `prepare` splits and scales it as the paper does.
"""

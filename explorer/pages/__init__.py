"""The pages of the server: `home`, and `system_page` for each system; both in the `shell` of bar and links.

In: the registry (which systems there are, how they present themselves), the cookies and the address of a visitor. Out:
what Panel serves. `apps/*.py` and the command `svm-explorer` call this room and add nothing. Read shell, then
system_page, then home.
"""

"""What leaves a stage and comes back to it: links, Python code, recording files. Knows no widget.

In: data, settings, cursor and recording of a stage. Out: text and bytes; read back, they are checked, since anybody may
have written them. Read link, then python_code, then recording_file.
"""

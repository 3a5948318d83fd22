"""The process of one game: what runs rules, finds boards, plays a match and evaluates positions.

`process` carries out the commands of the server. The process ends if its rules do not terminate.
"""

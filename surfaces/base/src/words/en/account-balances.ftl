account-balances-title = What your banks say
account-balances-since = { $told } by what your banks said until { $day }, with all that came in and went out since.
account-balances-on = On { $day }; too old to count on from.

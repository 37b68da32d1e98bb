-- A run is written twice within moments of its creation, a job twice for each of its runs. With room for those on its page
-- begin and the counts of a job write into no index; at 60 and 80 every third of them did not fit.
ALTER TABLE "runs" SET (fillfactor = 50);
ALTER TABLE "jobs" SET (fillfactor = 60);

-- Which edition of the time zone database a job's next time was reckoned by. Null: by code that did not say.
ALTER TABLE "jobs" ADD COLUMN "zone_rules" TEXT;

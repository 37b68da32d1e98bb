-- How a container ended, and whether more log was there than the end of it that is kept.
ALTER TABLE "attempts" ADD COLUMN "exit_code" INTEGER;
ALTER TABLE "attempts" ADD COLUMN "log_truncated" BOOLEAN NOT NULL DEFAULT false;

-- How many steps a run has stands in its row, so that whatever touches runs knows the few that have steps.
ALTER TABLE "runs" ADD COLUMN "step_count" SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE "runs" ADD CONSTRAINT "runs_current_step_check" CHECK ("current_step" BETWEEN 0 AND greatest("step_count" - 1, 0));

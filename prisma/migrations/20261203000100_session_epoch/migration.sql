-- A session names the epoch it was begun in; one of an earlier epoch is over. Code that knows nothing of it leaves it be.
ALTER TABLE "users" ADD COLUMN "session_epoch" INTEGER NOT NULL DEFAULT 0;

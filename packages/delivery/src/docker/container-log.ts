import { type ContainerLog, LogTail } from '../log-tail.ts'
import { type Engine, sound } from './engine.ts'

const HEADER = 8

/** Docker frames both outputs of a container without a terminal: kind, three NULs, length (4 bytes, big-endian), data. */
function pushFrames(frames: Buffer, tail: LogTail): void {
  let at = 0
  while (at + HEADER <= frames.length) {
    // Standard output and error output; 0 is the input.
    sound(frames, (frames[at] ?? 0) <= 2 && frames.readUIntBE(at + 1, 3) === 0)
    const length = frames.readUInt32BE(at + 4)
    tail.push(frames.subarray(at + HEADER, at + HEADER + length))
    at += HEADER + length
  }
}

/**
 * The end of a container's log. One line more than bytes is asked for, since a line has at least one byte; the engine is
 * told at creation to keep 10 MB at most, so there is never more to read.
 * @returns null when the container is gone
 * @throws ExecutorError, or the signal's reason
 */
export async function readLog(
  engine: Engine,
  name: string,
  keepBytes: number,
  signal: AbortSignal,
): Promise<ContainerLog | null> {
  const frames = await engine.find(signal, (docker, abortSignal) =>
    docker
      .getContainer(name)
      .logs({ follow: false, stdout: true, stderr: true, tail: keepBytes + 1, abortSignal }),
  )
  if (frames === null) return null
  const tail = new LogTail(keepBytes)
  pushFrames(sound(frames, Buffer.isBuffer(frames)), tail)
  return tail.log()
}

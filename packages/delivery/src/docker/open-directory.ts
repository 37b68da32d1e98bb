const BLOCK = 512

/** A number in a field of a tar header: octal digits and a NUL. */
function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`
}

/**
 * A tar archive (POSIX.1-1988 ustar) with nothing in it but a folder that is open to every user. Docker makes a new volume
 * root's alone, and an image that runs as another user could not write to `/data`.
 */
export function openDirectory(name: string): Buffer {
  const archive = Buffer.alloc(BLOCK * 3)
  archive.write(`${name}/`, 0)
  archive.write(octal(0o777, 8), 100)
  archive.write(octal(0, 8), 108)
  archive.write(octal(0, 8), 116)
  archive.write(octal(0, 12), 124)
  archive.write(octal(0, 12), 136)
  archive.write(' '.repeat(8), 148)
  archive.write('5', 156)
  archive.write('ustar\u000000', 257)
  const sum = archive.subarray(0, BLOCK).reduce((total, byte) => total + byte, 0)
  archive.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return archive
}

/** Networks that the embedded default may call, since it listens on loopback only (spec section 7). */
export const OPEN_NETWORKS = '127.0.0.0/8,::1/128'

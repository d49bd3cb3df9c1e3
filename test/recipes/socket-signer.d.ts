import type { TokensOptions } from '../../src/index.js'

export function socketSigner(socketPath: string): NonNullable<TokensOptions['signer']>

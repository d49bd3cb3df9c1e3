import { quoteLikeC as quote } from './literal.js'
import type { SampleLanguage } from './prepare.js'

export interface PrivateKeySample {
  readonly title: string
  readonly language: SampleLanguage
  readonly code: string
}

/** The ways to make a key pair of which only the public key is given away. */
export const KEY_PAIR_SAMPLES: readonly PrivateKeySample[] = [
  {
    title: 'openssl',
    language: 'curl',
    code: `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out private-key.pem
openssl pkey -in private-key.pem -pubout -out public-key.pem`,
  },
  {
    title: 'step',
    language: 'curl',
    code: 'step crypto jwk create public-key.json private-key.json --kty EC --crv P-256 --no-password --insecure',
  },
  {
    title: 'WebCrypto',
    language: 'javascript',
    code: `const { publicKey, privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
console.log(JSON.stringify({ keys: [await crypto.subtle.exportKey('jwk', publicKey)] }))`,
  },
]

/** Programs that use a key of P-256 in `private-key.pem` (RFC 7523), openid-client first. `issuer`: the audience of assertions. */
export function createPrivateKeySamples(given: Readonly<Record<'issuer' | 'tokenEndpoint' | 'clientId', string>>) {
  const { issuer, tokenEndpoint, clientId } = given
  const quoted = { issuer: quote(issuer), endpoint: quote(tokenEndpoint), client: quote(clientId) }
  // Libraries ask for it where an address is not https, as on a developer's own machine.
  const isInsecure = issuer.startsWith('http:')
  return WRITERS.map(({ title, language, write }) => ({ title, language, code: write({ ...quoted, isInsecure }) }))
}

type Parts = Readonly<Record<'issuer' | 'endpoint' | 'client', string>> & { readonly isInsecure: boolean }

/** RFC 7523 2.2. */
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

const WRITERS: readonly (Pick<PrivateKeySample, 'title' | 'language'> & { write(parts: Parts): string })[] = [
  {
    title: 'openid-client',
    language: 'javascript',
    write: ({ issuer, client, isInsecure }) => `import { readFileSync } from 'node:fs'
import { importPKCS8 } from 'jose'
import * as client from 'openid-client'

const key = await importPKCS8(readFileSync('private-key.pem', 'utf8'), 'ES256')
const method = client.PrivateKeyJwt(key)
const config = await client.discovery(new URL(${issuer}), ${client}, {}, method${isInsecure ? ', { execute: [client.allowInsecureRequests] }' : ''})
const { access_token } = await client.clientCredentialsGrant(config)`,
  },
  {
    title: 'oauth4webapi',
    language: 'javascript',
    write: ({ issuer, endpoint, client, isInsecure }) => `import { readFileSync } from 'node:fs'
import { importPKCS8 } from 'jose'
import * as oauth from 'oauth4webapi'

const key = await importPKCS8(readFileSync('private-key.pem', 'utf8'), 'ES256')
const server = { issuer: ${issuer}, token_endpoint: ${endpoint} }
const client = { client_id: ${client} }
const answer = await oauth.clientCredentialsGrantRequest(server, client, oauth.PrivateKeyJwt(key), {}${isInsecure ? ', { [oauth.allowInsecureRequests]: true }' : ''})
const { access_token } = await oauth.processClientCredentialsResponse(server, client, answer)`,
  },
  {
    title: 'Python, Authlib',
    language: 'python',
    write: ({ issuer, endpoint, client }) => `import requests
from authlib.oauth2.rfc7523 import private_key_jwt_sign

with open("private-key.pem") as file:
    assertion = private_key_jwt_sign(
        file.read(), ${client}, ${endpoint}, alg="ES256", claims={"aud": ${issuer}}, expires_in=60
    )
response = requests.post(
    ${endpoint},
    data={
        "grant_type": "client_credentials",
        "client_assertion_type": "${ASSERTION_TYPE}",
        "client_assertion": assertion,
    },
    timeout=30,
)
response.raise_for_status()
access_token = response.json()["access_token"]`,
  },
  {
    title: 'Java, Nimbus',
    language: 'java',
    write: ({
      issuer,
      endpoint,
      client,
    }) => `String pem = Files.readString(Path.of("private-key.pem")).replaceAll("-----[^-]+-----|\\\\s", "");
PrivateKey key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
ClientAuthentication method = new PrivateKeyJWT(
    new ClientID(${client}), URI.create(${issuer}), JWSAlgorithm.ES256, key, null, null);
TokenRequest request = new TokenRequest(URI.create(${endpoint}), method, new ClientCredentialsGrant());
TokenResponse response = TokenResponse.parse(request.toHTTPRequest().send());
AccessToken accessToken = response.toSuccessResponse().getTokens().getAccessToken();`,
  },
  {
    title: 'Go, golang-jwt',
    language: 'go',
    write: ({ issuer, endpoint, client }) => `pem, err := os.ReadFile("private-key.pem")
if err != nil {
	log.Fatal(err)
}
key, err := jwt.ParseECPrivateKeyFromPEM(pem)
if err != nil {
	log.Fatal(err)
}
id := make([]byte, 16)
if _, err := rand.Read(id); err != nil {
	log.Fatal(err)
}
assertion, err := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{
	"iss": ${client}, "sub": ${client}, "aud": ${issuer},
	"exp": time.Now().Add(time.Minute).Unix(), "jti": hex.EncodeToString(id),
}).SignedString(key)
if err != nil {
	log.Fatal(err)
}
response, err := http.PostForm(${endpoint}, url.Values{
	"grant_type":            {"client_credentials"},
	"client_assertion_type": {"${ASSERTION_TYPE}"},
	"client_assertion":      {assertion},
})`,
  },
]

// Bundled with the package inside, which does not work; the errors must say so.
import { createPlatformAuth, memoryStore } from 'express-platform-auth'
import { developerConsole } from 'express-platform-auth/console'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'

const apis = { catalog: { scheme: 'apiKey' } }
const auth = createPlatformAuth({ baseUrl: 'http://localhost', apis, store: memoryStore() })
const answers = []
try {
  developerConsole(auth)
} catch (error) {
  answers.push(`${error.name}: ${error.message}`)
}
void sqliteStore(':memory:')
  .open()
  .catch((error) => answers.push(`${error.name}: ${error.message}`))
  .then(() => auth.close())
  .then(() => console.log(JSON.stringify(answers)))

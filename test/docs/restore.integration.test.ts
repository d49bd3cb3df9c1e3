import { it } from 'vitest'
import { createFullSite } from './full-site.js'
import { followRestoreRecipe } from './restore-recipe.js'

it('docs/incidents.md, followed literally on SQLite, brings back every change since the backup', async () => {
  await followRestoreRecipe(await createFullSite(), 'SQLite')
})

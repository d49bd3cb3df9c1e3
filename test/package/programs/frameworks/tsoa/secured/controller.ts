import { Controller, Get, Route, Security } from 'tsoa'

@Route('orders/items')
export class Secured extends Controller {
  @Get()
  @Security('oauth2', ['orders:read'])
  list(): string[] {
    return []
  }
}

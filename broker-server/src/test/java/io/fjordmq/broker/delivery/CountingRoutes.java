package io.fjordmq.broker.delivery;

import io.fjordmq.router.Route;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;

/** A list of routes that counts how often its elements are read. */
final class CountingRoutes extends AbstractList<Route> {
  private final List<Route> routes;
  int reads;

  CountingRoutes(List<Route> routes) {
    this.routes = new ArrayList<>(routes);
  }

  @Override
  public Route get(int index) {
    reads++;
    return routes.get(index);
  }

  @Override
  public int size() {
    return routes.size();
  }
}

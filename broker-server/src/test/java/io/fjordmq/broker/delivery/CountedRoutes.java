package io.fjordmq.broker.delivery;

import io.fjordmq.router.Route;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;

/** Routes that count how often they are read. */
final class CountedRoutes extends AbstractList<Route> {
  private final List<Route> routes;
  int reads;

  CountedRoutes(List<Route> routes) {
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

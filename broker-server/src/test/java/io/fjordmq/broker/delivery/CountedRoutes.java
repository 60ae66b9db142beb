package io.fjordmq.broker.delivery;

import io.fjordmq.router.Route;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;

/** Routes that count how often any of them is looked at. */
final class CountedRoutes extends AbstractList<Route> {
  private final List<Route> routes;
  int looks;

  CountedRoutes(List<Route> routes) {
    this.routes = new ArrayList<>(routes);
  }

  @Override
  public Route get(int index) {
    looks++;
    return routes.get(index);
  }

  @Override
  public int size() {
    return routes.size();
  }
}

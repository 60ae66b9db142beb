package io.fjordmq.broker.simulation;

import io.fjordmq.broker.delivery.PublishRouter;
import io.fjordmq.inbox.InboxListener;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.router.RouteStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A defect injected into the broker, for a simulation that must detect it. */
interface Defect {
  /** The broker without a defect. */
  Defect NONE = new Defect() {};

  default InboxStore wrapInboxStore(InboxStore store) {
    return store;
  }

  /**
   * Wraps the inbox store that the sessions of one node use.
   *
   * @param excusesClients whether clients that go now may be alive, as far as the node knows
   */
  default InboxStore wrapInboxStoreOfNode(InboxStore store, BooleanSupplier excusesClients) {
    return store;
  }

  default InboxListener wrapInboxListener(InboxListener events) {
    return events;
  }

  default RetainStore wrapRetainStore(RetainStore store) {
    return store;
  }

  /** Wraps the publish router that sessions use. */
  default PublishRouter wrapPublishRouter(PublishRouter publishRouter) {
    return publishRouter;
  }

  default RouteStore wrapRouteStore(RouteStore router) {
    return router;
  }

  /** The original call. */
  interface Call {
    @Nullable Object invoke(@Nullable Object... arguments);
  }

  /** Replaces the call. */
  interface Replacement {
    @Nullable Object invoke(Call call, @Nullable Object... arguments);
  }

  /**
   * Wraps an object and replaces one of its methods.
   *
   * @throws IllegalArgumentException if the method does not exist: the defect would have no effect
   */
  static <T> T replaceMethod(Class<T> type, T real, String method, Replacement instead) {
    if (Stream.of(type.getMethods()).noneMatch(known -> known.getName().equals(method))) {
      throw new IllegalArgumentException(type.getName() + " has no method " + method);
    }
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              Call call =
                  given -> {
                    try {
                      return called.invoke(real, given);
                    } catch (InvocationTargetException | IllegalAccessException e) {
                      throw new IllegalStateException(e.getCause());
                    }
                  };
              try {
                return called.getName().equals(method)
                    ? instead.invoke(call, arguments)
                    : call.invoke(arguments);
              } catch (IllegalStateException e) {
                throw e.getCause() == null ? e : e.getCause();
              }
            }));
  }

  /** Reports success before the operation is done. */
  static Replacement completeImmediatelyWith(@Nullable Object answer) {
    return (call, arguments) -> {
      call.invoke(arguments);
      return CompletableFuture.completedFuture(answer);
    };
  }
}

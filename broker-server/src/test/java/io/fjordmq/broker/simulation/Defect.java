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

  default InboxStore inboxes(InboxStore store) {
    return store;
  }

  /**
   * As the sessions of one node see them.
   *
   * @param excusesClients whether clients that go now may be alive, as far as the node knows
   */
  default InboxStore inboxesOf(InboxStore store, BooleanSupplier excusesClients) {
    return store;
  }

  default InboxListener listener(InboxListener events) {
    return events;
  }

  default RetainStore retained(RetainStore store) {
    return store;
  }

  /** As sessions see it. */
  default PublishRouter publisher(PublishRouter publishRouter) {
    return publishRouter;
  }

  default RouteStore router(RouteStore router) {
    return router;
  }

  /** Makes a call with these arguments as it should be made. */
  interface Call {
    @Nullable Object make(@Nullable Object... arguments);
  }

  /** Replaces the call. */
  interface Replacement {
    @Nullable Object of(Call call, @Nullable Object... arguments);
  }

  /**
   * The original object except for one method.
   *
   * @throws IllegalArgumentException if the method does not exist: the defect would have no effect
   */
  static <T> T changed(Class<T> type, T real, String method, Replacement instead) {
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
                    ? instead.of(call, arguments)
                    : call.make(arguments);
              } catch (IllegalStateException e) {
                throw e.getCause() == null ? e : e.getCause();
              }
            }));
  }

  /** A store that reports success before the operation is done. */
  static Replacement answeredWith(@Nullable Object answer) {
    return (call, arguments) -> {
      call.make(arguments);
      return CompletableFuture.completedFuture(answer);
    };
  }
}

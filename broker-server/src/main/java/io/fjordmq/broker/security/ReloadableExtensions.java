package io.fjordmq.broker.security;

import io.fjordmq.api.Qos;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.Authorizer;
import io.fjordmq.api.plugin.ClientEventListener;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.Decision;
import io.fjordmq.api.plugin.EnhancedAuthenticator;
import io.fjordmq.api.plugin.Extension;
import io.fjordmq.api.plugin.NodeLoad;
import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Proxies for the extensions of a plugin, which the broker keeps for as long as the node runs. Each
 * call goes to the instance that is loaded at that moment. A call that has begun ends with the same
 * instance, and so does an exchange of AUTH packets.
 */
final class ReloadableExtensions {
  private ReloadableExtensions() {}

  /**
   * Returns one proxy for each kind of each extension.
   *
   * @param current the loaded instance; the kinds of the first one are final
   */
  static List<Extension> of(Supplier<PluginInstance> current) {
    List<Extension> all = new ArrayList<>();
    add(all, current, Authenticator.class, ReloadableAuthenticator::new);
    add(all, current, EnhancedAuthenticator.class, ReloadableEnhancedAuthenticator::new);
    add(all, current, Authorizer.class, ReloadableAuthorizer::new);
    add(all, current, ClientEventListener.class, ReloadableListener::new);
    add(all, current, SplitStrategy.class, ReloadableSplitStrategy::new);
    return all;
  }

  private static <E extends Extension> void add(
      List<Extension> all,
      Supplier<PluginInstance> current,
      Class<E> kind,
      Function<ExtensionSlot<E>, Extension> proxy) {
    int count = current.get().extensions(kind).size();
    for (int i = 0; i < count; i++) {
      all.add(proxy.apply(new ExtensionSlot<>(current, kind, i)));
    }
  }

  /** An instance that cannot be closed until the call has been released. */
  private record Call<E extends Extension>(PluginInstance instance, E extension) {

    /** Runs code of the plugin with its class loader as the context. */
    <T> T run(Supplier<T> code) {
      Thread thread = Thread.currentThread();
      ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(instance.loader());
      try {
        return code.get();
      } finally {
        thread.setContextClassLoader(before);
      }
    }
  }

  /** The place of an extension among those of its kind. */
  private record ExtensionSlot<E extends Extension>(
      Supplier<PluginInstance> current, Class<E> kind, int index) {

    private Call<E> begin() {
      while (true) { // ends: an instance is replaced before it rejects calls
        PluginInstance instance = current.get();
        if (instance.enter()) {
          return new Call<>(instance, instance.extensions(kind).get(index));
        }
      }
    }

    <T> T call(Function<E, T> request) {
      Call<E> call = begin();
      try {
        return call.run(() -> request.apply(call.extension));
      } finally {
        call.instance.exit();
      }
    }

    void notify(Consumer<E> notification) {
      call(
          extension -> {
            notification.accept(extension);
            return kind;
          });
    }

    /** The call lasts until the stage completes. */
    <T> CompletionStage<T> callAsync(Function<E, CompletionStage<T>> request) {
      Call<E> call = begin();
      try {
        return call.run(() -> request.apply(call.extension))
            .whenComplete((value, failure) -> call.instance.exit());
      } catch (RuntimeException | Error e) { // also if the plugin returned null
        call.instance.exit();
        throw e;
      }
    }
  }

  private record ReloadableAuthenticator(ExtensionSlot<Authenticator> place)
      implements Authenticator {
    @Override
    public CompletionStage<Authentication> authenticate(ConnectAttempt attempt) {
      return place.callAsync(authenticator -> authenticator.authenticate(attempt));
    }
  }

  private record ReloadableAuthorizer(ExtensionSlot<Authorizer> place) implements Authorizer {
    @Override
    public CompletionStage<Decision> authorize(ClientInfo client, Action action) {
      return place.callAsync(authorizer -> authorizer.authorize(client, action));
    }
  }

  private record ReloadableEnhancedAuthenticator(ExtensionSlot<EnhancedAuthenticator> place)
      implements EnhancedAuthenticator {
    @Override
    public String method() {
      return place.call(EnhancedAuthenticator::method);
    }

    @Override
    public Exchange begin(ConnectAttempt attempt, @Nullable ClientInfo current) {
      Call<EnhancedAuthenticator> call = place.begin();
      try {
        return new Steps(call, call.run(() -> call.extension.begin(attempt, current)));
      } catch (RuntimeException | Error e) {
        call.instance.exit();
        throw e;
      }
    }
  }

  /** An exchange, which keeps the instance that began it until it is closed. */
  private record Steps(
      Call<EnhancedAuthenticator> call,
      EnhancedAuthenticator.Exchange exchange,
      AtomicBoolean closed)
      implements EnhancedAuthenticator.Exchange {
    Steps(Call<EnhancedAuthenticator> call, EnhancedAuthenticator.Exchange exchange) {
      this(call, exchange, new AtomicBoolean());
    }

    @Override
    public CompletionStage<EnhancedAuthenticator.Step> next(byte[] data) {
      return call.run(() -> exchange.next(data));
    }

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        try {
          call.run(
              () -> {
                exchange.close();
                return call;
              });
        } finally {
          call.instance.exit();
        }
      }
    }
  }

  private record ReloadableListener(ExtensionSlot<ClientEventListener> place)
      implements ClientEventListener {
    @Override
    public void onConnected(ClientInfo client) {
      place.notify(listener -> listener.onConnected(client));
    }

    @Override
    public void onDisconnected(ClientInfo client, String reason) {
      place.notify(listener -> listener.onDisconnected(client, reason));
    }

    @Override
    public void onSubscribed(ClientInfo client, TopicFilter filter, Qos qos) {
      place.notify(listener -> listener.onSubscribed(client, filter, qos));
    }

    @Override
    public void onUnsubscribed(ClientInfo client, String filter) {
      place.notify(listener -> listener.onUnsubscribed(client, filter));
    }

    @Override
    public void onDenied(Denial denial) {
      place.notify(listener -> listener.onDenied(denial));
    }

    @Override
    public void onDropped(ClientInfo client, String reason, long count) {
      place.notify(listener -> listener.onDropped(client, reason, count));
    }
  }

  private record ReloadableSplitStrategy(ExtensionSlot<SplitStrategy> place)
      implements SplitStrategy {
    @Override
    public SplitAdvice advise(RangeLoad load, NodeLoad node) {
      return place.call(strategy -> strategy.advise(load, node));
    }

    @Override
    public boolean shouldMerge(RangeLoad left, RangeLoad right) {
      return place.call(strategy -> strategy.shouldMerge(left, right));
    }
  }
}

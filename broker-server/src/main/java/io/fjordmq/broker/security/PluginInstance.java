package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.Authorizer;
import io.fjordmq.api.plugin.ClientEventListener;
import io.fjordmq.api.plugin.EnhancedAuthenticator;
import io.fjordmq.api.plugin.Extension;
import io.fjordmq.api.plugin.SplitStrategy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One load of a plugin: its class loader and its started extensions. It counts the calls in
 * progress, so that a reload closes it only after the last one. Thread-safe.
 */
final class PluginInstance {
  private static final Logger LOG = LoggerFactory.getLogger(PluginInstance.class);

  private static final List<Class<? extends Extension>> KINDS =
      List.of(
          Authenticator.class,
          EnhancedAuthenticator.class,
          Authorizer.class,
          ClientEventListener.class,
          SplitStrategy.class);

  private static final long CLOSE_MILLIS = 5_000;

  private final PluginDirectory.Found found;
  private final PluginClassLoader loader;
  private final List<Extension> extensions = new ArrayList<>();
  private final CompletableFuture<Void> idle = new CompletableFuture<>();

  // Guarded by this.
  private int calls;
  private boolean retired;

  private PluginInstance(PluginDirectory.Found found) {
    this.found = found;
    this.loader = new PluginClassLoader("plugin " + found.name(), found.urls());
  }

  /**
   * Loads the classes and starts the extensions, on the calling thread. Blocks.
   *
   * @throws SecurityStartException if that fails; the message names the file. Extensions that had
   *     already started are closed
   */
  static PluginInstance start(PluginDirectory.Found found) throws SecurityStartException {
    PluginInstance instance = new PluginInstance(found);
    try {
      instance.startExtensions();
      return instance;
    } catch (SecurityStartException e) {
      instance.abandon();
      throw e;
    }
  }

  /** Closes what has started; a plugin that hangs must not keep the caller from its error. */
  private void abandon() {
    Thread thread = new Thread(this::close, "plugin-close-" + found.name());
    thread.setDaemon(true);
    thread.start();
    try {
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closeLoader();
  }

  private void startExtensions() throws SecurityStartException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      for (Extension extension : extensionsIn(loader)) {
        extensions.add(extension);
        extension.start(found.settings());
      }
    } catch (Exception | LinkageError | ServiceConfigurationError e) {
      LOG.debug("Failed to start a plugin path={}", found.path(), e);
      throw new SecurityStartException("plugin " + found.path() + " cannot be started: " + e, e);
    } finally {
      thread.setContextClassLoader(before);
    }
    if (extensions.isEmpty()) {
      throw new SecurityStartException(
          "plugin "
              + found.path()
              + " provides no extension: META-INF/services must name a class for one of "
              + KINDS.stream().map(Class::getName).toList());
    }
  }

  /** Creates one object per class, even if several services name the class. */
  private static List<Extension> extensionsIn(ClassLoader loader) {
    Map<Class<?>, Extension> byClass = new LinkedHashMap<>();
    for (Class<? extends Extension> kind : KINDS) {
      for (ServiceLoader.Provider<? extends Extension> one :
          ServiceLoader.load(kind, loader).stream().toList()) {
        if (!byClass.containsKey(one.type())) {
          byClass.put(one.type(), one.get());
        }
      }
    }
    return List.copyOf(byClass.values());
  }

  PluginDirectory.Found found() {
    return found;
  }

  ClassLoader loader() {
    return loader;
  }

  /** The extensions of one kind, in the order in which they are called. */
  <E extends Extension> List<E> extensions(Class<E> kind) {
    return extensions.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** The names of the extension classes. */
  List<String> classes() {
    return extensions.stream().map(extension -> extension.getClass().getName()).toList();
  }

  /** The simple names of the kinds, such as {@code Authenticator}. */
  List<String> kinds() {
    return KINDS.stream()
        .filter(kind -> !extensions(kind).isEmpty())
        .map(Class::getSimpleName)
        .toList();
  }

  /** The Implementation-Version of its jar; null if there is none. */
  @Nullable String version() {
    return extensions.stream()
        .map(extension -> extension.getClass().getPackage().getImplementationVersion())
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /**
   * Returns why this instance cannot replace another one while the node runs; null if it can. The
   * chains of providers are built when the node starts, so each place in them must be filled.
   */
  @Nullable String obstacleToReplace(PluginInstance other) {
    for (Class<? extends Extension> kind : KINDS) {
      int before = other.extensions(kind).size();
      int now = extensions(kind).size();
      if (before != now) {
        return "the new version provides %d %s classes instead of %d"
            .formatted(now, kind.getSimpleName(), before);
      }
    }
    List<String> methods = methods();
    return methods.equals(other.methods())
        ? null
        : "the authentication methods of the new version are %s instead of %s"
            .formatted(methods, other.methods());
  }

  private List<String> methods() {
    return extensions(EnhancedAuthenticator.class).stream()
        .map(EnhancedAuthenticator::method)
        .toList();
  }

  /** Begins a call; {@link #exit} must follow. Returns false if another instance has taken over. */
  synchronized boolean enter() {
    if (retired) {
      return false;
    }
    calls++;
    return true;
  }

  /** Ends a call. */
  void exit() {
    boolean last;
    synchronized (this) {
      calls--;
      last = retired && calls == 0;
    }
    if (last) {
      idle.complete(null);
    }
  }

  /** Accepts no more calls; the future completes when the last one has ended. */
  CompletableFuture<Void> retire() {
    boolean none;
    synchronized (this) {
      retired = true;
      none = calls == 0;
    }
    if (none) {
      idle.complete(null);
    }
    return idle;
  }

  /** Closes the extensions in the reverse order in which they were started. Blocks. */
  void close() {
    for (int i = extensions.size() - 1; i >= 0; i--) {
      try {
        extensions.get(i).close();
      } catch (Exception | LinkageError e) {
        LOG.warn("Plugin threw while closing: {} plugin={}", e.toString(), found.name());
      }
    }
  }

  /** Closes the class loader; classes that are not loaded yet can no longer be loaded. */
  void closeLoader() {
    try {
      loader.close();
    } catch (IOException e) {
      LOG.debug("Failed to close a class loader plugin={}", found.name(), e);
    }
  }
}

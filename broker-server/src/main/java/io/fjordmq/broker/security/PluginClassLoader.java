package io.fjordmq.broker.security;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;

/**
 * Loads the classes of one plugin. Apart from its own classes, a plugin only sees the JDK and
 * broker-api, so it can bundle any version of any library.
 */
final class PluginClassLoader extends URLClassLoader {
  private static final String API = "io.fjordmq.api.";

  static {
    registerAsParallelCapable();
  }

  PluginClassLoader(String name, List<URL> urls) {
    super(name, urls.toArray(URL[]::new), new ApiOnly());
  }

  /** Loads only the classes of the JDK and of broker-api. */
  private static final class ApiOnly extends ClassLoader {
    ApiOnly() {
      super(ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith(API)) {
        return PluginClassLoader.class.getClassLoader().loadClass(name);
      }
      throw new ClassNotFoundException(name);
    }
  }
}

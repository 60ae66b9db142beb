package io.fjordmq.broker.security;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;

/**
 * Loads the classes of one plugin. Beyond its own it sees the JDK and broker-api and nothing else,
 * so that a plugin can bring any version of any library along.
 */
final class PluginClassLoader extends URLClassLoader {
  private static final String API = "io.fjordmq.api.";

  static {
    registerAsParallelCapable();
  }

  PluginClassLoader(String name, List<URL> urls) {
    super(name, urls.toArray(URL[]::new), new ApiOnly());
  }

  /** The JDK, and of the broker's classes those of broker-api. */
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

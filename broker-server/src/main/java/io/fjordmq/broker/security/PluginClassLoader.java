package io.fjordmq.broker.security;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;

/**
 * Loads the classes of one plugin. Besides its own classes it sees only the JDK and broker-api, so
 * that a plugin can bring any version of any library.
 */
final class PluginClassLoader extends URLClassLoader {
  private static final String API = "io.fjordmq.api.";

  static {
    registerAsParallelCapable();
  }

  PluginClassLoader(String name, List<URL> urls) {
    super(name, urls.toArray(URL[]::new), new ApiOnly());
  }

  /** The JDK, and the classes of broker-api. */
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

package io.fjordmq.broker.web;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Properties;

/**
 * A file of a JavaScript library from a WebJar on the classpath.
 *
 * @param path where the page expects the file, relative to its other files
 * @param artifact the WebJar, which also names its directory
 * @param file the file within the library
 */
record WebLibrary(String path, String artifact, String file) {
  private static final String GROUP = "org.webjars.npm";

  /** All files of libraries that the page uses. {@code index.html} maps module names to them. */
  static final List<WebLibrary> ALL =
      List.of(
          new WebLibrary("vendor/preact.js", "preact", "dist/preact.module.js"),
          new WebLibrary("vendor/preact-hooks.js", "preact", "hooks/dist/hooks.module.js"),
          new WebLibrary("vendor/uplot.js", "uplot", "dist/uPlot.esm.js"),
          new WebLibrary("vendor/uplot.css", "uplot", "dist/uPlot.min.css"));

  /**
   * Reads the file.
   *
   * @throws IOException if it is missing, which means that the distribution is incomplete
   */
  byte[] read() throws IOException {
    return read("META-INF/resources/webjars/%s/%s/%s".formatted(artifact, version(), file));
  }

  /** The version is part of the path, so that only pom.xml has to contain it. */
  private String version() throws IOException {
    Properties properties = new Properties();
    String file = "META-INF/maven/%s/%s/pom.properties".formatted(GROUP, artifact);
    try (InputStream in = open(file)) {
      properties.load(in);
    }
    return properties.getProperty("version", "unknown");
  }

  private byte[] read(String resource) throws IOException {
    try (InputStream in = open(resource)) {
      return in.readAllBytes();
    }
  }

  private InputStream open(String resource) throws IOException {
    InputStream in = WebLibrary.class.getClassLoader().getResourceAsStream(resource);
    if (in == null) {
      throw new FileNotFoundException(
          "the WebJar %s:%s is missing or damaged: no %s in the class path"
              .formatted(GROUP, artifact, resource));
    }
    return in;
  }
}

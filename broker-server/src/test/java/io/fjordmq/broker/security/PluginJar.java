package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.Extension;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;

/** Compiles a plugin against broker-api and the JDK and packages it as a JAR. */
public final class PluginJar {
  private PluginJar() {}

  /**
   * @param services {@code Authenticator=com.example.Mine Authorizer=…}
   * @param source source code of one public class in {@code com.example}
   */
  public static void create(Path folder, String name, String services, String source)
      throws IOException {
    Path classes = Files.createTempDirectory("plugin-classes");
    compile(source, classes);
    Files.createDirectories(folder);
    try (OutputStream file = Files.newOutputStream(folder.resolve(name + ".jar"));
        JarOutputStream jar = new JarOutputStream(file);
        Stream<Path> made = Files.walk(classes)) {
      for (Path one : made.filter(Files::isRegularFile).toList()) {
        add(jar, classes.relativize(one).toString(), Files.readAllBytes(one));
      }
      for (Map.Entry<String, String> service : parseServices(services).entrySet()) {
        add(
            jar,
            "META-INF/services/io.fjordmq.api.plugin." + service.getKey(),
            service.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private static Map<String, String> parseServices(String services) {
    Map<String, String> entries = new LinkedHashMap<>();
    for (String one : services.isBlank() ? new String[0] : services.split(" ", -1)) {
      entries.put(one.substring(0, one.indexOf('=')), one.substring(one.indexOf('=') + 1));
    }
    return entries;
  }

  private static void add(JarOutputStream jar, String name, byte[] bytes) throws IOException {
    jar.putNextEntry(new ZipEntry(name));
    jar.write(bytes);
    jar.closeEntry();
  }

  private static void compile(String source, Path classes) {
    int at = source.indexOf("public final class ") + "public final class ".length();
    String type = source.substring(at, source.indexOf(' ', at));
    SimpleJavaFileObject unit =
        new SimpleJavaFileObject(
            URI.create("string:///" + type + ".java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    String api = locationOf(Extension.class) + File.pathSeparator + locationOf(NullMarked.class);
    List<String> options =
        List.of("-proc:none", "--release", "17", "-cp", api, "-d", classes.toString());
    assertThat(compiler.getTask(null, null, null, options, null, List.of(unit)).call()).isTrue();
  }

  private static String locationOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }
}

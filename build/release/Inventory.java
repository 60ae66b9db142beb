import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes {@code sbom.json} and {@code licenses} of an installation: the components of Maven's bill
 * of materials whose jars are installed, and the license of each. Fails if a jar has no component,
 * or if the text of its license is missing.
 *
 * <p>Usage: {@code java -cp JACKSON Inventory.java BOM INSTALLATION TEXTS TIME}. TEXTS contains the
 * texts of licenses by SPDX identifier, and directories with licenses of libraries whose jars
 * contain none. TIME is an ISO-8601 instant.
 */
class Inventory {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Pattern PURL = Pattern.compile("pkg:maven/(.+)/(.+)@([^?]+)(\\?(.*))?");
  private static final Pattern LICENSE_FILE =
      Pattern.compile(
          "(META-INF/|META-INF/licenses?/.*|META-INF/resources/webjars/[^/]+/[^/]+/)?"
              + "(LICENSE|LICENCE|NOTICE|COPYING|AL2\\.0|LGPL)[^/]*",
          Pattern.CASE_INSENSITIVE);

  /** Licenses of libraries whose pom files name none, or not by its SPDX identifier. */
  private static final Map<String, List<String>> LICENSES =
      Map.of(
          "jraft-core", List.of("Apache-2.0"),
          "logback-classic", List.of("EPL-1.0", "LGPL-2.1-only"),
          "logback-core", List.of("EPL-1.0", "LGPL-2.1-only"));

  private final Path installation;
  private final Path texts;

  /** Installed jars by file name, without links to others. */
  private final Map<String, Path> jars = new TreeMap<>();

  /** Components of third parties by file name: their licenses. */
  private final Map<String, String> index = new TreeMap<>();

  private Inventory(Path installation, Path texts) {
    this.installation = installation;
    this.texts = texts;
  }

  public static void main(String[] args) throws IOException {
    Inventory inventory = new Inventory(Path.of(args[1]), Path.of(args[2]));
    inventory.findJars();
    inventory.write((ObjectNode) JSON.readTree(Files.readString(Path.of(args[0]))), args[3]);
  }

  private void findJars() throws IOException {
    try (Stream<Path> files = Files.walk(installation.resolve("lib"))) {
      files
          .filter(file -> file.toString().endsWith(".jar") && !Files.isSymbolicLink(file))
          .forEach(file -> jars.put(file.getFileName().toString(), file));
    }
  }

  private void write(ObjectNode bom, String time) throws IOException {
    Set<String> missing = new LinkedHashSet<>(jars.keySet());
    Set<String> references = new LinkedHashSet<>();
    ArrayNode kept = JSON.createArrayNode();
    for (JsonNode node : bom.get("components")) {
      ObjectNode component = (ObjectNode) node;
      List<String> known = LICENSES.get(component.get("name").asString());
      if (known != null) {
        ArrayNode licenses = component.putArray("licenses");
        known.forEach(id -> licenses.addObject().putObject("license").put("id", id));
      }
      String jar = jar(component.get("purl").asString());
      if (jars.containsKey(jar)) {
        missing.remove(jar);
        references.add(component.get("bom-ref").asString());
        kept.add(installed(component, jars.get(jar)));
        if (!component.path("group").asString("").equals("io.fjordmq")) {
          copyLicenses(component, jar);
        }
      }
    }
    if (!missing.isEmpty()) {
      throw new IOException("the bill of materials does not contain " + missing);
    }
    copyVendored(kept);
    bom.set("components", kept);
    ObjectNode metadata = (ObjectNode) bom.get("metadata");
    references.add(metadata.get("component").get("bom-ref").asString());
    metadata.put("timestamp", time);
    bom.set("dependencies", dependencies(bom.get("dependencies"), references));
    bom.remove("serialNumber");
    String content = JSON.writeValueAsString(bom);
    UUID serial = UUID.nameUUIDFromBytes(content.getBytes(StandardCharsets.UTF_8));
    bom.put("serialNumber", "urn:uuid:" + serial);
    Files.writeString(
        installation.resolve("sbom.json"),
        JSON.writerWithDefaultPrettyPrinter().writeValueAsString(bom) + "\n");
    writeIndex();
  }

  /** Returns the name of the jar of a package URL. */
  private static String jar(String purl) {
    Matcher matcher = PURL.matcher(purl);
    if (!matcher.matches()) {
      return "";
    }
    String classifier = "";
    for (String qualifier : String.valueOf(matcher.group(5)).split("&", -1)) {
      if (qualifier.startsWith("classifier=")) {
        classifier = "-" + qualifier.substring("classifier=".length());
      }
    }
    return matcher.group(2) + "-" + matcher.group(3) + classifier + ".jar";
  }

  /** Returns the component with the hash of the installed jar. */
  private ObjectNode installed(ObjectNode component, Path jar) throws IOException {
    ObjectNode copy = component.deepCopy();
    String hash = sha256(jar);
    boolean unchanged = component.path("hashes").isEmpty();
    for (JsonNode published : component.path("hashes")) {
      unchanged |= published.get("content").asString().equals(hash);
    }
    copy.putArray("hashes").addObject().put("alg", "SHA-256").put("content", hash);
    if (!unchanged && !component.path("group").asString("").equals("io.fjordmq")) {
      copy.putObject("pedigree").put("notes", note(jar));
    }
    return copy;
  }

  /** Why the installed jar differs from the published one: KeepNatives or StoredJars. */
  private String note(Path jar) {
    return jar.startsWith(installation.resolve("lib/broker"))
        ? "Without the native libraries of other platforms"
        : "The same entries without compression";
  }

  private static String sha256(Path file) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(Files.readAllBytes(file)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ArrayNode dependencies(JsonNode all, Set<String> references) {
    ArrayNode kept = JSON.createArrayNode();
    for (JsonNode dependency : all) {
      if (references.contains(dependency.get("ref").asString())) {
        ObjectNode copy = kept.addObject().put("ref", dependency.get("ref").asString());
        ArrayNode targets = copy.putArray("dependsOn");
        for (JsonNode target : dependency.path("dependsOn")) {
          if (references.contains(target.asString())) {
            targets.add(target.asString());
          }
        }
      }
    }
    return kept;
  }

  /** Copies the license files in the jar, or else those that the release adds for it. */
  private void copyLicenses(ObjectNode component, String jar) throws IOException {
    String name = component.get("name").asString();
    List<String> ids = licenses(component);
    index.put(jar, String.join(" or ", ids));
    Path target = installation.resolve("licenses").resolve(name);
    if (copyFromJar(jars.get(jar), target) || copyFolder(texts.resolve(name), target)) {
      return;
    }
    for (String id : ids) {
      Path text = texts.resolve(id.replaceFirst("-(only|or-later)$", "") + ".txt");
      if (Files.exists(text)) {
        Files.createDirectories(target.getParent());
        Path copy = target.resolveSibling(text.getFileName());
        if (!Files.exists(copy)) {
          Files.copy(text, copy);
        }
        return;
      }
    }
    throw new IOException("no license text for " + jar + " (" + ids + "); add it to " + texts);
  }

  private static List<String> licenses(ObjectNode component) {
    List<String> ids = new ArrayList<>();
    for (JsonNode choice : component.path("licenses")) {
      JsonNode license = choice.path("license");
      JsonNode id = license.has("id") ? license.get("id") : license.path("name");
      ids.add(choice.has("expression") ? choice.get("expression").asString() : id.asString("?"));
    }
    return ids;
  }

  private static boolean copyFromJar(Path jar, Path target) throws IOException {
    boolean found = false;
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
        ZipEntry entry = all.nextElement();
        if (entry.isDirectory() || !LICENSE_FILE.matcher(entry.getName()).matches()) {
          continue;
        }
        String path =
            entry.getName().replaceFirst("^META-INF/(resources/webjars/[^/]+/[^/]+/)?", "");
        Path file = target.resolve(path).normalize();
        if (!file.startsWith(target)) {
          throw new IOException("invalid name in " + jar + ": " + entry.getName());
        }
        Files.createDirectories(file.getParent());
        try (InputStream in = zip.getInputStream(entry)) {
          Files.write(file, in.readAllBytes());
        }
        found = true;
      }
    }
    return found;
  }

  private static boolean copyFolder(Path folder, Path target) throws IOException {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    Files.createDirectories(target);
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.copy(file, target.resolve(file.getFileName()));
      }
    }
    return true;
  }

  /**
   * The scripts of the web page that are part of broker-server, with their licenses next to them.
   */
  private void copyVendored(ArrayNode components) throws IOException {
    Path broker =
        jars.entrySet().stream()
            .filter(jar -> jar.getKey().startsWith("broker-server-"))
            .findFirst()
            .orElseThrow()
            .getValue();
    Pattern text = Pattern.compile("web/vendor/(.+)\\.LICENSE\\.txt");
    try (ZipFile zip = new ZipFile(broker.toFile())) {
      for (ZipEntry entry : zip.stream().map(ZipEntry.class::cast).toList()) {
        Matcher matcher = text.matcher(entry.getName());
        if (matcher.matches()) {
          String name = matcher.group(1);
          Path target = Files.createDirectories(installation.resolve("licenses").resolve(name));
          try (InputStream in = zip.getInputStream(entry)) {
            Files.write(target.resolve("LICENSE"), in.readAllBytes());
          }
          index.put(name + ".js (in broker-server)", "see " + name + "/LICENSE");
          components.addObject().put("type", "library").put("name", name).put("group", "npm");
        }
      }
    }
  }

  private void writeIndex() throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(
            "FjordMQ contains these libraries. The license text of each is in the directory"
                + " named\n")
        .append("after the library or, if there is none, in the file named after the license.\n\n");
    index.forEach((jar, licenses) -> text.append(jar).append(": ").append(licenses).append('\n'));
    Files.writeString(installation.resolve("licenses/INDEX.txt"), text);
  }
}

package io.fjordmq.broker.security;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A plugin that a node has loaded.
 *
 * @param name the name of its jar without .jar, or of its directory
 * @param path its jar or directory
 * @param version the Implementation-Version in the manifest of its jar; null if there is none
 * @param kinds the simple names of the extension points that it implements, such as {@code
 *     Authenticator}
 * @param classes the names of its extension classes
 * @param changed whether a jar has changed on the disk since it was loaded, so that the plugin must
 *     be reloaded to use it
 */
public record PluginStatus(
    String name,
    String path,
    @Nullable String version,
    List<String> kinds,
    List<String> classes,
    boolean changed) {}

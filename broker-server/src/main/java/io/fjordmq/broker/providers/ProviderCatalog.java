package io.fjordmq.broker.providers;

import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.AuthorizationProvider;
import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderType;
import io.fjordmq.broker.extensions.ExtensionJars;
import io.fjordmq.broker.providers.ProviderEntry.Chain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of providers. Those that are not part of the broker are in the directory {@code
 * providers} next to the broker's libraries, which are not loaded before one of these kinds is
 * requested. Thread-safe.
 */
public final class ProviderCatalog {
  private static final String FOLDER = "providers";

  private static final class Extensions {
    private final Map<String, ProviderType> byName = new TreeMap<>();
  }

  private @Nullable Extensions extensions;

  /** Returns the names of the kinds that a list can contain, in alphabetical order. */
  public List<String> names(Chain chain) {
    Stream<String> builtIn =
        Arrays.stream(BuiltInType.values())
            .filter(type -> type.supports(chain))
            .map(BuiltInType::type);
    Stream<String> others =
        extensions().values().stream()
            .filter(type -> supports(type, chain))
            .map(ProviderType::name);
    return Stream.concat(builtIn, others).sorted(String.CASE_INSENSITIVE_ORDER).toList();
  }

  private static boolean supports(ProviderType type, Chain chain) {
    return chain == Chain.AUTHENTICATION ? type.authenticates() : type.authorizes();
  }

  /** Returns all keys of a kind of provider; null if there is no such kind. */
  public @Nullable List<ProviderKey> keys(Chain chain, String type) {
    BuiltInType builtIn = BuiltInType.named(type);
    if (builtIn != null) {
      return builtIn.supports(chain) ? builtIn.keys() : null;
    }
    ProviderType extension = extensions().get(type);
    if (extension == null || !supports(extension, chain)) {
      return null;
    }
    List<ProviderKey> keys = new ArrayList<>(ProviderLimits.KEYS);
    if (chain == Chain.AUTHENTICATION) {
      keys.add(ProviderKey.value("tenant"));
    }
    keys.addAll(extension.keys());
    return keys;
  }

  /**
   * Checks the settings of an authentication provider.
   *
   * @throws IllegalArgumentException if a setting is invalid; the message begins with its key
   */
  ProviderType.Opening<AuthenticationProvider> authentication(ProviderEntry entry) {
    return type(entry).authentication(entry.settings());
  }

  /**
   * Checks the settings of an authorization provider.
   *
   * @throws IllegalArgumentException if a setting is invalid; the message begins with its key
   */
  ProviderType.Opening<AuthorizationProvider> authorization(ProviderEntry entry) {
    return type(entry).authorization(entry.settings());
  }

  private ProviderType type(ProviderEntry entry) {
    ProviderType type = extensions().get(entry.type());
    if (type == null || !supports(type, entry.chain())) {
      throw unsupported(entry);
    }
    return type;
  }

  private IllegalArgumentException unsupported(ProviderEntry entry) {
    return new IllegalArgumentException(
        entry.path() + ".type " + unsupportedType(entry.chain(), entry.type()));
  }

  /** Returns the end of the message about a kind that a list cannot contain. */
  public String unsupportedType(Chain chain, String type) {
    return "must be one of " + String.join(", ", names(chain)) + ", not '" + type + "'";
  }

  private synchronized Map<String, ProviderType> extensions() {
    Extensions known = extensions;
    if (known == null) {
      known = new Extensions();
      // The class loader is never closed, because providers are in use until the process ends.
      for (ProviderType type :
          ServiceLoader.load(ProviderType.class, ExtensionJars.loader(FOLDER))) {
        known.byName.put(type.name(), type);
      }
      extensions = known;
    }
    return known.byName;
  }
}

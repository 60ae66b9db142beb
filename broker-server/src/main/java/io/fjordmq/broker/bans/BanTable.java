package io.fjordmq.broker.bans;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All bans, indexed for lookups at CONNECT. Networks have one hash table for each length of prefix,
 * so a lookup costs one access for each length in use. Immutable.
 */
final class BanTable {
  static final BanTable EMPTY = new BanTable(List.of());

  private final List<Ban> all;
  private final Map<String, List<Ban>> byClientId = new HashMap<>();
  private final Map<String, List<Ban>> byUserName = new HashMap<>();
  private final List<Prefix> prefixes = new ArrayList<>();

  /**
   * The networks with the same length of prefix.
   *
   * @param addressBytes 4 for IPv4, 16 for IPv6
   */
  private record Prefix(int addressBytes, int bits, Map<IpNetwork, List<Ban>> bans) {}

  BanTable(Collection<Ban> bans) {
    all = List.copyOf(bans);
    for (Ban ban : all) {
      switch (ban.kind()) {
        case CLIENTID -> add(byClientId, ban.value(), ban);
        case USERNAME -> add(byUserName, ban.value(), ban);
        case PEERHOST -> add(ban, IpNetwork.parseAddress(ban.value()));
        case PEERHOST_NET -> add(ban, IpNetwork.parseNetwork(ban.value()));
      }
    }
  }

  private void add(Ban ban, @Nullable IpNetwork network) {
    if (network == null) {
      throw new IllegalArgumentException("a ban has an invalid address");
    }
    int addressBytes = network.bytes().length();
    for (Prefix prefix : prefixes) {
      if (prefix.addressBytes == addressBytes && prefix.bits == network.prefix()) {
        add(prefix.bans, network, ban);
        return;
      }
    }
    Prefix prefix = new Prefix(addressBytes, network.prefix(), new HashMap<>());
    prefixes.add(prefix);
    add(prefix.bans, network, ban);
  }

  private static <K> void add(Map<K, List<Ban>> index, K key, Ban ban) {
    index.computeIfAbsent(key, absent -> new ArrayList<>(1)).add(ban);
  }

  List<Ban> all() {
    return all;
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /**
   * Returns a ban that matches the client; null if there is none.
   *
   * @param userName null if it is not known or the client has none
   * @param address null if the client has none
   * @param applies whether a ban is to be considered
   */
  @Nullable Ban find(
      String clientId,
      @Nullable String userName,
      @Nullable InetAddress address,
      Predicate<Ban> applies) {
    Ban found = first(byClientId.get(clientId), applies);
    if (found == null && userName != null) {
      found = first(byUserName.get(userName), applies);
    }
    if (found == null && address != null && !prefixes.isEmpty()) {
      byte[] bytes = address.getAddress();
      for (int i = 0; i < prefixes.size() && found == null; i++) {
        Prefix prefix = prefixes.get(i);
        if (prefix.addressBytes == bytes.length) {
          found = first(prefix.bans.get(IpNetwork.of(bytes, prefix.bits)), applies);
        }
      }
    }
    return found;
  }

  private static @Nullable Ban first(@Nullable List<Ban> bans, Predicate<Ban> applies) {
    if (bans != null) {
      for (Ban ban : bans) {
        if (applies.test(ban)) {
          return ban;
        }
      }
    }
    return null;
  }
}

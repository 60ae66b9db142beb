package io.fjordmq.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Names of seeds are looked up again, and may have any number of addresses. */
class SeedLookupTest {
  private final List<String> published = new ArrayList<>(List.of("10.0.0.1", "10.0.0.2"));
  private final List<Runnable> background = new ArrayList<>();

  private InetAddress[] resolve(String host) throws UnknownHostException {
    if (host.equals("unknown")) {
      throw new UnknownHostException(host);
    }
    List<InetAddress> found = new ArrayList<>();
    for (String text : host.equals("all") ? published : List.of("10.0.0.1")) {
      found.add(InetAddress.getByName(text));
    }
    return found.toArray(InetAddress[]::new);
  }

  private SeedLookup of(NodeAddress... endpoints) {
    return new SeedLookup(List.of(endpoints), this::resolve, background::add);
  }

  @Test
  void shouldReturnAllAddressesOfANameAndKeepNamesWithOneOrNone() {
    SeedLookup seeds =
        of(new NodeAddress("all", 1), new NodeAddress("one", 1), new NodeAddress("unknown", 1));
    assertThat(seeds.lookUp())
        .containsExactly(
            new NodeAddress("10.0.0.1", 1),
            new NodeAddress("10.0.0.2", 1),
            new NodeAddress("one", 1),
            new NodeAddress("unknown", 1));
  }

  @Test
  void shouldLookUpNamesAgain() {
    SeedLookup seeds = of(new NodeAddress("all", 1));
    assertThat(seeds.lookUp()).hasSize(2);
    published.add("10.0.0.3");
    assertThat(seeds.lookUp()).contains(new NodeAddress("10.0.0.3", 1)).hasSize(3);
  }

  @Test
  void shouldReturnTheLatestAddressesAndLookThemUpInTheBackground() {
    SeedLookup seeds = of(new NodeAddress("all", 1));
    assertThat(seeds.latest()).containsExactly(new NodeAddress("all", 1));
    assertThat(seeds.latest()).as("one lookup at a time").hasSize(1);
    assertThat(background).hasSize(1);
    background.remove(0).run();
    assertThat(seeds.latest()).hasSize(2);
    assertThat(background).hasSize(1);
  }

  @Test
  void shouldNotLookUpIpAddresses() {
    SeedLookup seeds = of(new NodeAddress("10.0.0.1", 1), new NodeAddress("::1", 2));
    assertThat(seeds.latest()).hasSize(2);
    assertThat(background).isEmpty();
  }
}

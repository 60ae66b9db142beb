package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.testing.RecordBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The version of each simulated node, which can change while the node does not run. */
final class SimVersions implements SimMembers.Defects {
  private static final MembershipSettings SETTINGS =
      RecordBuilder.from(MembershipSettings.DEFAULT)
          .with(MembershipSettings::levelHoldDown, Duration.ofSeconds(5))
          .build();

  private final Map<Integer, SupportedLevels> byNode = new HashMap<>();
  private final boolean lies;

  /**
   * @param lies whether every node announces level 2, whatever it supports
   */
  SimVersions(boolean lies) {
    this.lies = lies;
  }

  void set(int node, SupportedLevels levels) {
    byNode.put(node, levels);
  }

  SupportedLevels get(int node) {
    return byNode.getOrDefault(node, SupportedLevels.FIRST_ONLY);
  }

  @Override
  public SimNode.Defect of(int node) {
    SupportedLevels levels = get(node);
    return new SimNode.Defect() {
      @Override
      public SupportedLevels levels() {
        return levels;
      }

      @Override
      public SupportedLevels announcedLevels() {
        return lies ? new SupportedLevels(1, 2) : levels;
      }

      @Override
      public MembershipSettings settings() {
        return SETTINGS;
      }
    };
  }
}

package io.fjordmq.range.placement;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pins that a plan follows, and those that it cannot: the driver removes them, so that a range
 * does not return to a node much later, when nobody expects it anymore. Immutable.
 *
 * @param obsolete why each of these pins is to be removed
 */
record PinCheck(Map<RangeId, RangePin> valid, Map<RangeId, String> obsolete) {

  static PinCheck of(
      PlacementView view, List<StorePlacement> stores, Map<RangeId, RangePin.Stored> pins) {
    Map<RangeId, RangePin> valid = new HashMap<>();
    Map<RangeId, String> obsolete = new HashMap<>();
    for (StorePlacement store : stores) {
      pins.forEach(
          (range, stored) -> {
            if (!range.store().equals(store.store())) {
              return;
            }
            String reason = obsoleteReason(view, store.voters(), range, stored.pin());
            if (reason == null) {
              valid.put(range, stored.pin());
            } else {
              obsolete.put(range, reason);
            }
          });
    }
    return new PinCheck(Map.copyOf(valid), Map.copyOf(obsolete));
  }

  private static @Nullable String obsoleteReason(
      PlacementView view, int voters, RangeId range, RangePin pin) {
    RangeDescriptor published = view.published().get(range);
    if (published == null) {
      return "the range was merged into another one";
    } else if (pin.voters().size() > voters) {
      return "the number of voters is now " + voters;
    }
    return VoterAssignment.changeReason(
        view, voters, new PlacedRange(published, view.reports()), pin.voters());
  }
}

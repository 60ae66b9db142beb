package io.fjordmq.inbox;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Random histories of a few clients, on replicas and on a model. One replica caches everything, one
 * evicts all but one inbox, one is reopened repeatedly: all must behave like the model and store
 * the same bytes.
 */
class InboxModelTest {
  @Property(tries = 100)
  void shouldMatchTheModelWhenTheOldestMessagesAreDropped(@ForAll long seed) {
    new InboxHistory(seed, new InboxLimits(6, 400, InboxLimits.WhenFull.DROP_OLDEST)).run(150);
  }

  @Property(tries = 100)
  void shouldMatchTheModelWhenNewMessagesAreRejected(@ForAll long seed) {
    new InboxHistory(seed, new InboxLimits(5, 400, InboxLimits.WhenFull.REFUSE)).run(150);
  }

  @Property(tries = 15)
  void shouldMatchTheModelWithLongQueues(@ForAll long seed) {
    new InboxHistory(seed, new InboxLimits(1000, 1 << 20, InboxLimits.WhenFull.DROP_OLDEST))
        .run(600);
  }
}

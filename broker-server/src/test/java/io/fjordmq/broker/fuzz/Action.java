package io.fjordmq.broker.fuzz;

import io.fjordmq.broker.testing.MemoryBroker;
import java.util.List;

/**
 * The actions of a fuzzed conversation. Their order is part of the corpus format: add new ones at
 * the end.
 */
enum Action {
  CONNECT {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      client.connect(choices);
    }
  },
  SUBSCRIBE {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      client.subscribe(choices);
    }
  },
  PUBLISH {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      client.publish(choices);
    }
  },
  ANSWER {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      client.answer(choices.octet());
    }
  },
  ACKNOWLEDGE {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      client.acknowledge(choices);
    }
  },
  UNSUBSCRIBE {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      client.unsubscribe(choices);
    }
  },
  PING {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      client.send(new PacketBytes().packet(0xC0));
    }
  },
  DISCONNECT {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      client.disconnect(choices);
    }
  },
  AUTH {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      client.authenticate(choices);
    }
  },
  BYTES {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      client.send(choices.bytes(1 + choices.below(32)));
    }
  },
  CUT {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      client.cut();
    }
  },
  HOLD_STORES {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      broker.hold();
    }
  },
  RESUME_STORES {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      broker.resume();
    }
  },
  PASS_TIME {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      int seconds = choices.below(16);
      broker.advanceClock(seconds);
      client.advance(seconds);
    }
  },
  SHUT_DOWN {
    @Override
    void perform(MemoryBroker broker, FuzzedClient client, Choices choices) {
      // Rarely: little happens after it.
      if (choices.octet() == 0xDD) {
        broker.shutDown();
      }
    }
  };

  static final List<Action> ALL = List.of(values());

  abstract void perform(MemoryBroker broker, FuzzedClient client, Choices choices);
}

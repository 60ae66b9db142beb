/** Contains classes that break rules of {@code HouseRules} on purpose. */
@NullMarked
package io.fjordmq.broker.revocation.seeded;

import org.jspecify.annotations.NullMarked;

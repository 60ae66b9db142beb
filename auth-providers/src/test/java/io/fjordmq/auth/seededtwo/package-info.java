/** Breaks rules of {@code ModuleRules} on purpose. */
@NullMarked
package io.fjordmq.auth.seededtwo;

import org.jspecify.annotations.NullMarked;

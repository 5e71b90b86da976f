/**
 * Holds {@code weir demo} and its samples: real campaign mails, copies as spammers vary them, and unrelated mail;
 * look here when the demo fails.
 */
@NullMarked
package dev.weir.cli.demo;

import org.jspecify.annotations.NullMarked;

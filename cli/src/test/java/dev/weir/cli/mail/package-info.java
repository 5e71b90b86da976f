/** Tests commands on mails with the rules of a configuration. */
@NullMarked
package dev.weir.cli.mail;

import org.jspecify.annotations.NullMarked;

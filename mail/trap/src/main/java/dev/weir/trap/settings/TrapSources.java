package dev.weir.trap.settings;

import java.nio.file.Path;
import java.util.List;

/**
 * Where mails of one purpose come from.
 *
 * @param addresses the addresses and domains that receive them by SMTP and LMTP
 * @param maildirs Maildir folders to read
 * @param mboxes mbox files to read
 * @param imap IMAP folders to read
 */
public record TrapSources(TrapAddresses addresses, List<Path> maildirs, List<Path> mboxes, List<ImapFolder> imap) {
    /** Copies the lists. */
    public TrapSources {
        maildirs = List.copyOf(maildirs);
        mboxes = List.copyOf(mboxes);
        imap = List.copyOf(imap);
    }

    /** Returns whether a folder is among them. */
    public boolean hasFolders() {
        return !maildirs.isEmpty() || !mboxes.isEmpty() || !imap.isEmpty();
    }
}

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
    /** No source. */
    public static final TrapSources NONE = new TrapSources(TrapAddresses.NONE, List.of(), List.of(), List.of());

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

    /** Returns a copy with other addresses. */
    public TrapSources withAddresses(TrapAddresses others) {
        return new TrapSources(others, maildirs, mboxes, imap);
    }

    /** Returns a copy with other local folders. */
    public TrapSources withFolders(List<Path> ofMaildir, List<Path> ofMbox) {
        return new TrapSources(addresses, ofMaildir, ofMbox, imap);
    }
}

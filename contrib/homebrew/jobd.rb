# A formula for Homebrew on Linux. npm run package -- --all makes jobd.rb in dist/ from it, with the version and the
# checksums. Put that file into a tap of yours, with the address of your release files in the place of downloads.example.com.
class Jobd < Formula
  desc "Calls your URLs on cron and interval schedules and records every run"
  homepage "https://downloads.example.com/jobd"
  version "VERSION"
  license "MIT"

  depends_on :linux

  on_intel do
    url "https://downloads.example.com/jobd/VERSION/jobd-linux-x64.gz"
    sha256 "SHA256_X64"
  end
  on_arm do
    url "https://downloads.example.com/jobd/VERSION/jobd-linux-arm64.gz"
    sha256 "SHA256_ARM64"
  end

  def install
    bin.install Dir["jobd-linux-*"].first => "jobd"
    chmod 0755, bin/"jobd"
    generate_completions_from_executable(bin/"jobd", "completion", shells: [:bash, :zsh, :fish])
    (man1/"jobd.1").write Utils.safe_popen_read(bin/"jobd", "man")
  end

  def caveats
    <<~EOS
      After "brew services start jobd", sign in with a browser:
        jobd open --data #{var}/lib/jobd
    EOS
  end

  service do
    run [opt_bin/"jobd", "serve", "--data", var/"lib/jobd"]
    keep_alive true
    error_log_path var/"log/jobd.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/jobd --version")
  end
end

curl 'https://shop.example.com/api/orders?page=2' \
  -H 'accept: */*' \
  -H 'accept-language: en-US,en;q=0.9' \
  -H 'content-type: application/json' \
  -b 'session=abc; theme=dark' \
  -H 'origin: https://shop.example.com' \
  -H 'sec-ch-ua: "Chromium";v="140", "Not=A?Brand";v="24"' \
  -H 'Connection: keep-alive' \
  --compressed \
  --data-raw $'{"note":"it\'s 5 \u20ac for \ud83d\ude00","ok"\u003atrue}'
